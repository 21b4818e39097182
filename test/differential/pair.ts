import { DatabaseUnavailable } from '../../src/storage/errors.ts';
import { databases } from '../support/databases/databases.ts';
import { brokenInvariants, eventsAfter, everything, tableNames } from './contents.ts';
import type { Operation } from './operation.ts';
import { Sameness } from './sameness.ts';
import { type Answer, Side } from './side.ts';

/** Both databases disagree, or one of them failed. */
class Difference extends Error {}

/** After these somebody may do more or less than before. */
const CHANGES_RIGHTS = /^(operator\.(updated|deleted)|group\.)/;

/** Two installations that live through the same. */
export class Pair {
  readonly #sides: readonly [Side, Side];
  readonly #sameness = new Sameness();
  #position = 0;

  private constructor(sides: readonly [Side, Side]) {
    this.#sides = sides;
  }

  static async open(): Promise<Pair> {
    const [one, other] = databases;
    if (!one || !other) throw new Error('Both databases are needed.');
    const first = await Side.open(one.name, one.open);
    try {
      return new Pair([first, await Side.open(other.name, other.open)]);
    } catch (error) {
      await first.end();
      throw error;
    }
  }

  /** Throws at the first difference: in the answer, or in what was announced; or because a database did not answer. */
  async play(operation: Operation): Promise<Answer> {
    const [one, other] = await this.#both((side) => side.play(operation));
    if ([one, other].some(({ status, body }) => status === 503 || body.includes('"code":"UNAVAILABLE"')))
      throw new DatabaseUnavailable('One of the databases did not answer in time.');
    this.#requireSame('answer', one, other, `${shown(one)}\n${shown(other)}`);
    if (hasFailed(one)) throw new Difference(`Both failed: ${one.status} ${one.body}`);
    const [events, otherEvents] = await this.#both(({ installation }) => eventsAfter(installation, this.#position));
    this.#requireSame('events', events, otherEvents);
    this.#position = Number(events.at(-1)?.position ?? this.#position);
    if (events.some(({ type }) => CHANGES_RIGHTS.test(String(type))))
      for (const side of this.#sides) side.forgetDesks();
    return one;
  }

  /** At the end: every row of every table, and what must always hold. */
  async compareEverything(): Promise<void> {
    const tables = await tableNames(this.#sides[0].installation);
    const [one, other] = await this.#both(({ installation }) => everything(installation, tables));
    this.#requireSame('tables', one, other);
    const [broken, otherBroken] = await this.#both(({ installation }) => brokenInvariants(installation));
    this.#requireSame('what doctor finds', broken, otherBroken);
    if (broken.length > 0) throw new Difference(`doctor finds on both: ${broken.join('; ')}`);
  }

  async end(): Promise<void> {
    await Promise.all(this.#sides.map((side) => side.end()));
  }

  async #both<T>(work: (side: Side) => Promise<T>): Promise<[T, T]> {
    const [one, other] = this.#sides;
    return Promise.all([work(one), work(other)]);
  }

  #requireSame(what: string, one: unknown, other: unknown, more = ''): void {
    const difference = this.#sameness.difference(one, other, what);
    const names = this.#sides.map(({ name }) => name).join(' and ');
    if (difference) throw new Difference(`${names} differ in ${difference}\n${more}`);
  }
}

function hasFailed({ status, body }: Answer): boolean {
  return status >= 500 || body.includes('"code":"INTERNAL"');
}

function shown({ status, body }: Answer): string {
  return `${status} ${body.slice(0, 600)}`;
}
