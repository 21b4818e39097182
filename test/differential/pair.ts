import { DatabaseUnavailable } from '../../src/storage/errors.ts';
import { databases } from '../support/databases/databases.ts';
import { ComparedInstallation, type OperationResult } from './compared-installation.ts';
import { Comparison } from './comparison.ts';
import { listBrokenInvariants, listTables, readAllTables, readEventsAfter } from './contents.ts';
import type { Operation } from './operation.ts';

/** The databases differ, or an operation failed on both. */
class DifferenceError extends Error {}

/** Events that can change the permissions of operators. */
const PERMISSION_EVENTS = /^(operator\.(updated|deleted)|group\.)/;

/** Two installations that run the same operations. */
export class Pair {
  readonly #sides: readonly [ComparedInstallation, ComparedInstallation];
  readonly #comparison = new Comparison();
  #position = 0;

  private constructor(sides: readonly [ComparedInstallation, ComparedInstallation]) {
    this.#sides = sides;
  }

  static async open(): Promise<Pair> {
    const [firstDatabase, secondDatabase] = databases;
    if (!firstDatabase || !secondDatabase) throw new Error('This test needs both databases.');
    const first = await ComparedInstallation.open(firstDatabase.name, firstDatabase.open);
    try {
      return new Pair([first, await ComparedInstallation.open(secondDatabase.name, secondDatabase.open)]);
    } catch (error) {
      await first.close();
      throw error;
    }
  }

  /** Throws at the first difference in the response or the events, or if a database did not respond in time. */
  async run(operation: Operation): Promise<OperationResult> {
    const [first, second] = await this.#runOnBoth((side) => side.run(operation));
    if ([first, second].some(({ status, body }) => status === 503 || body.includes('"code":"UNAVAILABLE"')))
      throw new DatabaseUnavailable('One of the databases did not respond in time.');
    this.#requireSame('response', first, second, `${formatResult(first)}\n${formatResult(second)}`);
    if (hasFailed(first)) throw new DifferenceError(`Both failed: ${first.status} ${first.body}`);
    const [events, otherEvents] = await this.#runOnBoth(({ installation }) =>
      readEventsAfter(installation, this.#position),
    );
    this.#requireSame('events', events, otherEvents);
    this.#position = Number(events.at(-1)?.position ?? this.#position);
    if (events.some(({ type }) => PERMISSION_EVENTS.test(String(type))))
      for (const side of this.#sides) side.clearDeskTokens();
    return first;
  }

  /** Compares every row of every table, and checks the invariants. */
  async compareEverything(): Promise<void> {
    const tables = await listTables(this.#sides[0].installation);
    const [first, second] = await this.#runOnBoth(({ installation }) => readAllTables(installation, tables));
    this.#requireSame('tables', first, second);
    const [broken, otherBroken] = await this.#runOnBoth(({ installation }) => listBrokenInvariants(installation));
    this.#requireSame('invariants', broken, otherBroken);
    if (broken.length > 0) throw new DifferenceError(`Invariants broken on both: ${broken.join('; ')}`);
  }

  async close(): Promise<void> {
    await Promise.all(this.#sides.map((side) => side.close()));
  }

  async #runOnBoth<T>(work: (side: ComparedInstallation) => Promise<T>): Promise<[T, T]> {
    const [first, second] = this.#sides;
    return Promise.all([work(first), work(second)]);
  }

  #requireSame(subject: string, first: unknown, second: unknown, details = ''): void {
    const difference = this.#comparison.findDifference(first, second, subject);
    const names = this.#sides.map(({ name }) => name).join(' and ');
    if (difference) throw new DifferenceError(`${names} differ in ${difference}\n${details}`);
  }
}

function hasFailed({ status, body }: OperationResult): boolean {
  return status >= 500 || body.includes('"code":"INTERNAL"');
}

function formatResult({ status, body }: OperationResult): string {
  return `${status} ${body.slice(0, 600)}`;
}
