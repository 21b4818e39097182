import { setImmediate } from 'node:timers/promises';
import { type Expression, type ExpressionBuilder, sql } from 'kysely';
import type { Changes, Database, Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import type { Tables } from '../../storage/tables.ts';
import { deleteInBatches } from '../kernel/batched-delete.ts';
import { DomainError } from '../kernel/errors.ts';
import { CONCERNED, EventTail, Follower, type LoggedEvent, RING, topicsOf } from './event-tail.ts';

export type { LoggedEvent } from './event-tail.ts';

/**
 * Events in their order. Everything of the follower's up to `upTo` has been handed over with it: whoever comes back gives
 * that as their position. It may be empty, for somebody of whom nothing happened for long.
 */
export interface EventBatch extends ReadonlyArray<LoggedEvent> {
  readonly upTo: number;
}

const BATCH = 500;
/** So many positions are looked at in one read for those that are about a topic. */
const SCANNED = 5000;
const POLL_MS = 1000;
/** After so many events of others a follower is told how far the log has come. */
const FAR = RING / 2;

const COLUMNS = ['position', 'type', 'subjectType', 'subjectId', 'actorType', 'actorId', 'at', 'changes'] as const;

/** The first and the last position that the log of an account still has. */
interface Bounds {
  readonly oldest: number;
  readonly newest: number;
}

const findMoment = prepare<{ accountId: number }, { position: number; now: number }>((db, { accountId }) =>
  db
    .selectFrom('accounts')
    .select((eb) => ['eventPosition as position', eb.fn<number>('now_ms', []).as('now')])
    .where('id', '=', accountId),
);
const findOldest = prepare<{ accountId: number }, { oldest: number | null }>((db, { accountId }) =>
  db
    .selectFrom('events')
    .select((eb) => eb.fn.min('position').as('oldest'))
    .where('accountId', '=', accountId),
);
const findAfter = prepare<{ accountId: number; position: number }, Row>((db, { accountId, position }) =>
  rowsAfter(db, accountId, position),
);

/**
 * The changes of an account, in order. However many follow it, new events are read and parsed once; a follower who is slow
 * keeps their own place and costs nothing but that.
 */
export class EventLog {
  readonly #database: Database;
  readonly #tails = new Map<number, EventTail>();
  readonly #reading = new Map<EventTail, { again: boolean }>();
  #poll: NodeJS.Timeout | undefined;

  constructor(database: Database) {
    this.#database = database;
    database.onEvents((accountId) => {
      const tail = this.#tails.get(accountId);
      if (tail) this.#readOn(accountId, tail);
    });
  }

  /** Where the log is now, and the database's time. */
  async moment(accountId: number): Promise<{ position: number; now: number }> {
    return (await this.#database.run(findMoment, { accountId }))[0] ?? { position: 0, now: 0 };
  }

  async position(accountId: number): Promise<number> {
    return (await this.moment(accountId)).position;
  }

  /** What the log still has. Without any event the oldest comes after the newest. */
  async bounds(accountId: number): Promise<Bounds> {
    const newest = await this.position(accountId);
    const [row] = await this.#database.run(findOldest, { accountId });
    return { oldest: row?.oldest ?? newest + 1, newest };
  }

  /** Refuses a position from which nobody can follow, before anything is done for whoever wants to. */
  async requirePosition(accountId: number, position: number): Promise<void> {
    await this.#boundsFor(accountId, { position });
  }

  /**
   * Everything after a position, in batches, as it comes; until the signal says stop. With topics (`conversation:12`,
   * `operator:5`) only what is about one of them. A position that the log has not got any more, or never had, is refused.
   */
  async *follow(
    accountId: number,
    after: number,
    signal: AbortSignal,
    topics?: readonly string[],
  ): AsyncGenerator<EventBatch> {
    const follower = new Follower(after, topics);
    const bounds = await this.#boundsFor(accountId, follower);
    if (signal.aborted) return;
    const tail = this.#tailFor(accountId, after, bounds);
    tail.followers.add(follower);
    const stop = () => follower.wake();
    signal.addEventListener('abort', stop);
    try {
      for (let told = after; !signal.aborted; ) {
        const events = tail.take(follower) ?? (await this.#readBehind(accountId, follower));
        const upTo = tail.reached(follower);
        if (events.length > 0 || upTo - told >= FAR) {
          told = upTo;
          yield Object.assign(events, { upTo });
        } else if (follower.attached) {
          await follower.change();
        }
      }
    } finally {
      signal.removeEventListener('abort', stop);
      this.#leave(accountId, tail, follower);
    }
  }

  /** The tail that all followers of an account share. One that starts for somebody who comes back looks back for the others too. */
  #tailFor(accountId: number, after: number, { oldest, newest }: Bounds): EventTail {
    const known = this.#tails.get(accountId);
    if (known) return known;
    const tail = new EventTail(after < newest ? Math.max(oldest - 1, newest - RING) : newest);
    this.#tails.set(accountId, tail);
    this.#readOn(accountId, tail); // what came since the look at the bounds woke nobody
    this.#poll ??= setInterval(() => this.#lookAround().catch(() => undefined), POLL_MS).unref(); // the next look may work
    return tail;
  }

  #leave(accountId: number, tail: EventTail, follower: Follower): void {
    tail.leave(follower);
    if (tail.followers.size === 0) this.#tails.delete(accountId);
    if (this.#tails.size > 0) return;
    clearInterval(this.#poll);
    this.#poll = undefined;
  }

  /** Reads what is new into a tail. Whoever asks while it reads is served by the same reading. */
  #readOn(accountId: number, tail: EventTail): void {
    const running = this.#reading.get(tail);
    if (running) {
      running.again = true;
      return;
    }
    const reading = { again: false };
    this.#reading.set(tail, reading);
    const read = async () => {
      try {
        do {
          reading.again = false;
          const rows = await this.#database.run(findAfter, { accountId, position: tail.position });
          tail.append(rows.map(parsed));
          if (rows.length < BATCH) continue;
          reading.again = true;
          await setImmediate();
        } while (reading.again && tail.followers.size > 0);
      } finally {
        this.#reading.delete(tail); // in the same step as the last look at `again`, so that no wake-up is lost
      }
    };
    read().catch(() => undefined); // the poll tries again
  }

  /** The backstop: a lost wake-up, or a commit of another process, delays a follower and loses nothing. */
  async #lookAround(): Promise<void> {
    for (const [accountId, tail] of [...this.#tails]) {
      if ((await this.position(accountId)) > tail.position) this.#readOn(accountId, tail);
      for (const follower of tail.followers) {
        if (follower.attached && tail.position - follower.position >= FAR) follower.wake();
      }
    }
  }

  /** The next events of a follower for whom the tail has not enough. */
  async #readBehind(accountId: number, follower: Follower): Promise<LoggedEvent[]> {
    await setImmediate(); // it may be one of many reads, and others are waiting
    const { newest } = await this.#boundsFor(accountId, follower);
    const { position, topics } = follower;
    const upTo = topics && !isIndexed(topics) ? Math.min(newest, position + SCANNED) : newest;
    const rows = rowsAfter(this.#database.read, accountId, position).where('position', '<=', upTo);
    const read = await (topics ? rows.where(mayBeAbout(topics)) : rows).execute();
    follower.position = read.length < BATCH ? upTo : (read.at(-1)?.position ?? upTo);
    return read.map(parsed).filter((event) => follower.wants(topicsOf(event)));
  }

  /** Refuses a follower whose place is not in the log. */
  async #boundsFor(accountId: number, { position }: Pick<Follower, 'position'>): Promise<Bounds> {
    const bounds = await this.bounds(accountId);
    if (position > bounds.newest) throw new DomainError('invalid', `The position ${position} was never given.`);
    if (position < bounds.oldest - 1) {
      throw new DomainError(
        'invalid',
        `The position ${position} is too old: read again and follow from the present position.`,
      );
    }
    return bounds;
  }
}

function rowsAfter(
  db: Database['read'],
  accountId: number | Expression<number>,
  position: number | Expression<number>,
) {
  return db
    .selectFrom('events')
    .select(COLUMNS)
    .where('accountId', '=', accountId)
    .where('position', '>', position)
    .orderBy('position')
    .limit(BATCH);
}

type Row = Pick<Tables['events'], (typeof COLUMNS)[number]>;

function parsed(row: Row): LoggedEvent {
  return { ...row, changes: JSON.parse(row.changes) as Changes };
}

/** The events of one conversation are found by an index, as its topic is never about anything but the subject. */
function isIndexed(topics: ReadonlySet<string>): boolean {
  const [topic] = topics;
  return topics.size === 1 && topic?.startsWith('conversation:') === true;
}

/** Leaves out most of what is about other topics before it is read and parsed; a closer look is still needed. */
function mayBeAbout(topics: ReadonlySet<string>) {
  return (eb: ExpressionBuilder<Tables, 'events'>) =>
    eb.or(
      [...topics].flatMap((topic) => {
        const [kind = '', id = ''] = topic.split(':');
        const named = Object.entries(CONCERNED).filter(([, concerned]) => concerned === kind);
        return [
          eb.and([eb('subjectType', '=', kind), eb('subjectId', '=', Number(id))]),
          ...named.flatMap(([name]) => [',', '}'].map((end) => eb('changes', 'like', `%"${name}":${id}${end}%`))),
        ];
      }),
    );
}

/**
 * Deletes what is older than it is kept. The log loses its beginning and nothing else: positions have no holes. What comes
 * after `sentUpTo` stays, and so does the newest event, which shows how far the log has come.
 */
export function deleteOldEvents(
  database: Database,
  accountId: number,
  { keptMs, sentUpTo }: { keptMs: number; sentUpTo: (tx: Transaction) => Promise<number | null> },
  signal?: AbortSignal,
): Promise<void> {
  const beginning = async (tx: Transaction, limit: number) => {
    const oldest = await tx.db
      .selectFrom('events')
      .select(['position', 'at'])
      .where('accountId', '=', accountId)
      .where('position', '<', (eb) => eb.selectFrom('accounts').select('eventPosition').where('id', '=', accountId))
      .orderBy('position')
      .limit(limit)
      .execute();
    const sent = await sentUpTo(tx);
    const kept = oldest.findIndex(({ position, at }) => at >= tx.now - keptMs || (sent !== null && position > sent));
    const last = (kept < 0 ? oldest : oldest.slice(0, kept)).at(-1);
    const where = sql`account_id = ${accountId} and position <= ${last?.position}`;
    return last && { table: 'events', key: ['account_id', 'position'], where };
  };
  return deleteInBatches(database, beginning, signal);
}
