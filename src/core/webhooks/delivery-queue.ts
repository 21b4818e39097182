import { setImmediate } from 'node:timers/promises';
import { type SqlBool, sql } from 'kysely';
import type { Changes, Database, Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import { announce } from '../events/announce.ts';
import { systemContext } from '../kernel/caller.ts';
import type { DeliveredEvent } from './delivery.ts';
import { addDelivery } from './delivery-store.ts';
import { isWanted, TEST_EVENT } from './event-types.ts';
import { movePlace } from './webhook-store.ts';

const BATCH = 100;
/** So many deliveries of a hook wait at most; the rest waits in the event log, and costs nothing there. */
const MAX_PENDING = 10_000;

interface Behind {
  readonly accountId: number;
  readonly id: number;
  readonly position: number;
  readonly eventTypes: string;
}

const findBehind = prepare<object, Behind>((db) =>
  db
    .selectFrom('webhooks as w')
    .innerJoin('accounts as a', 'a.id', 'w.accountId')
    .select(['w.accountId', 'w.id', 'w.position', 'w.eventTypes'])
    .where('w.state', '=', 'active')
    .whereRef('w.position', '<', 'a.eventPosition')
    .orderBy('w.accountId')
    .orderBy('w.id'),
);

/**
 * Turns the event log into deliveries, for each hook from its own place in the log. The place moves in the same transaction in
 * which the deliveries are written, and only from where it was: nothing is missed, nothing doubled, with any number of nodes.
 */
export class DeliveryQueue {
  readonly #database: Database;
  /** How far events that a hook did not want were read: to write that down for each of them would cost a commit each. */
  readonly #skipped = new Map<string, { hook: string; position: number }>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Answers whether there is more to do at once. With `keepPlaces` it also writes down how far was read in vain. */
  async fill({ keepPlaces }: { keepPlaces: boolean }): Promise<boolean> {
    let more = false;
    for (const hook of await this.#database.run(findBehind, {})) {
      if (await this.#fillFor(hook, keepPlaces)) more = true;
      await setImmediate(); // the embedded database never waits for anything, and requests want their turn
    }
    return more;
  }

  async #fillFor(hook: Behind, keepPlaces: boolean): Promise<boolean> {
    const from = this.#placeOf(hook);
    const events = await this.#read(hook.accountId, from);
    const last = events.at(-1)?.position ?? from;
    const patterns = JSON.parse(hook.eventTypes) as string[];
    const wanted = events.filter((event) =>
      event.type === TEST_EVENT ? event.subjectId === hook.id : isWanted(patterns, event.type),
    );
    const lost = events[0] && events[0].position > from + 1 ? events[0].position - 1 : undefined;
    if (wanted.length === 0 && lost === undefined && !keepPlaces) {
      this.#skipped.set(keyOf(hook), { hook: versionOf(hook), position: last });
      return events.length === BATCH;
    }
    if (last === hook.position) return false;
    if (wanted.length > 0 && (await this.#isFull(hook))) return false;
    const name = { accountId: hook.accountId, webhookId: hook.id };
    await this.#database.transaction(async (tx) => {
      if (!(await movePlace(tx, name, { from: hook.position, to: last }))) return;
      if (lost !== undefined) announceLost(tx, hook, from + 1, lost);
      for (const event of wanted) await addDelivery(tx, name, event);
    }, hook.accountId);
    this.#skipped.delete(keyOf(hook));
    return events.length === BATCH;
  }

  #placeOf(hook: Behind): number {
    const skipped = this.#skipped.get(keyOf(hook));
    return skipped?.hook === versionOf(hook) ? skipped.position : hook.position;
  }

  async #read(accountId: number, after: number): Promise<DeliveredEvent[]> {
    const rows = await this.#database.read
      .selectFrom('events')
      .select(['accountId', 'position', 'type', 'at', 'subjectType', 'subjectId', 'actorType', 'actorId', 'changes'])
      .where('accountId', '=', accountId)
      .where('position', '>', after)
      .orderBy('position')
      .limit(BATCH)
      .execute();
    return rows.map((row) => ({
      ...row,
      actorType: row.actorType as DeliveredEvent['actorType'],
      changes: JSON.parse(row.changes) as Changes,
    }));
  }

  async #isFull(hook: Behind): Promise<boolean> {
    const { count } = await this.#database.read
      .selectFrom((eb) =>
        eb
          .selectFrom('webhookDeliveries')
          .select('nextAt')
          .where('accountId', '=', hook.accountId)
          .where('webhookId', '=', hook.id)
          .where(sql<SqlBool>`state = 'pending'`)
          .limit(MAX_PENDING)
          .as('pending'),
      )
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return count === MAX_PENDING;
  }
}

function keyOf(hook: Behind): string {
  return `${hook.accountId} ${hook.id}`;
}

/** What was read in vain is forgotten when the hook asks for something else, or when another node has moved its place. */
function versionOf(hook: Behind): string {
  return `${hook.position} ${hook.eventTypes}`;
}

/** The log does not go back as far as the place of the hook, which was paused for too long. Nobody shall have to find that out. */
function announceLost(tx: Transaction, hook: Behind, from: number, to: number): void {
  announce(tx, systemContext(hook.accountId), 'webhook.updated', hook.id, {
    fields: ['position'],
    values: { missedFrom: from, missedTo: to },
  });
}
