import { setImmediate } from 'node:timers/promises';
import { type Expression, type ExpressionBuilder, sql } from 'kysely';
import type { Changes, Database, Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import type { Tables } from '../../storage/tables.ts';
import { deleteInBatches } from '../kernel/batched-delete.ts';
import { DomainError } from '../kernel/errors.ts';
import {
  ANY_SUBJECT,
  EventTail,
  Follower,
  type LoggedEvent,
  listTopics,
  TAIL_SIZE,
  TOPIC_FIELDS,
} from './event-tail.ts';

export type { LoggedEvent } from './event-tail.ts';

/**
 * Events in order. With this batch the follower has received all its events up to `endPosition`, and can resume there.
 * An empty batch reports progress when no event matched for a long time.
 */
export interface EventBatch extends ReadonlyArray<LoggedEvent> {
  readonly endPosition: number;
}

const BATCH_SIZE = 500;
/** Positions scanned per read when events are filtered by topic. */
const MAX_SCANNED_POSITIONS = 5000;
/** An event whose wake-up was lost still arrives within a second. */
const POLL_INTERVAL_MS = 800;
/** A follower gets an empty batch after this many events that do not match. */
const PROGRESS_INTERVAL = TAIL_SIZE / 2;

const COLUMNS = ['position', 'type', 'subjectType', 'subjectId', 'actorType', 'actorId', 'at', 'changes'] as const;

/** The first and last positions that are still in an account's log. */
interface Bounds {
  readonly oldest: number;
  readonly newest: number;
}

/** The newest position of an account's log, and the database's time. */
export interface PositionAndTime {
  readonly position: number;
  readonly now: number;
}

const findPositionAndTime = prepare<{ accountId: number }, PositionAndTime>((db, { accountId }) =>
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
  selectAfter(db, accountId, position),
);

/**
 * The changes of an account, in order. New events are read and parsed once for all followers; a slow follower has its
 * own position and does not hold up the others.
 */
export class EventLog {
  readonly #database: Database;
  readonly #tails = new Map<number, EventTail>();
  /** One entry per account, with the turn of its read. */
  readonly #sharedReads = new Map<number, { readonly loopCount: number; readonly read: Promise<PositionAndTime> }>();
  readonly #activeReads = new Map<EventTail, { readAgain: boolean }>();
  #poll: NodeJS.Timeout | undefined;

  constructor(database: Database) {
    this.#database = database;
    database.onEvents((accountId) => {
      this.#sharedReads.delete(accountId);
      const tail = this.#tails.get(accountId);
      if (tail) this.#readNewEvents(accountId, tail);
    });
  }

  async readPositionAndTime(accountId: number): Promise<PositionAndTime> {
    return (await this.#database.run(findPositionAndTime, { accountId }))[0] ?? { position: 0, now: 0 };
  }

  /**
   * The same, but requests that are served in one turn of the event loop share the read. They arrived before the turn
   * began, so their clients cannot know of a later change, except of one that this process committed in the same turn:
   * after that it reads again.
   */
  readSharedPositionAndTime(accountId: number): Promise<PositionAndTime> {
    const { loopCount } = performance.nodeTiming.uvMetricsInfo;
    const shared = this.#sharedReads.get(accountId);
    if (shared?.loopCount === loopCount) return shared.read;
    const read = this.readPositionAndTime(accountId);
    this.#sharedReads.set(accountId, { loopCount, read });
    return read;
  }

  async readPosition(accountId: number): Promise<number> {
    return (await this.readPositionAndTime(accountId)).position;
  }

  /** In an empty log, the oldest position is one after the newest. */
  async readBounds(accountId: number): Promise<Bounds> {
    const newest = await this.readPosition(accountId);
    const [row] = await this.#database.run(findOldest, { accountId });
    return { oldest: row?.oldest ?? newest + 1, newest };
  }

  /** Throws if the log cannot be followed from this position. */
  async requirePosition(accountId: number, position: number): Promise<void> {
    await this.#requireBounds(accountId, { position });
  }

  /**
   * Yields all events after a position, in batches, until the signal aborts; with topics (`conversation:12`,
   * `operator:5`, `canned_reply:*`), only events about one of them. Throws if the log no longer has the position, or never had it.
   */
  async *follow(
    accountId: number,
    after: number,
    signal: AbortSignal,
    topics?: readonly string[],
  ): AsyncGenerator<EventBatch> {
    const follower = new Follower(after, topics);
    const bounds = await this.#requireBounds(accountId, follower);
    if (signal.aborted) return;
    const tail = this.#getTail(accountId, after, bounds);
    tail.followers.add(follower);
    const wakeFollower = () => follower.wake();
    signal.addEventListener('abort', wakeFollower);
    try {
      for (let reportedPosition = after; !signal.aborted; ) {
        const events = tail.take(follower) ?? (await this.#readFromDatabase(accountId, follower));
        const endPosition = tail.getServedPosition(follower);
        if (events.length > 0 || endPosition - reportedPosition >= PROGRESS_INTERVAL) {
          reportedPosition = endPosition;
          yield Object.assign(events, { endPosition });
        } else if (follower.isAttached) {
          await follower.waitForWake();
        }
      }
    } finally {
      signal.removeEventListener('abort', wakeFollower);
      this.#removeFollower(accountId, tail, follower);
    }
  }

  /**
   * Returns the tail that all followers of an account share. If the first follower resumes from an older position, the
   * tail starts further back.
   */
  #getTail(accountId: number, after: number, { oldest, newest }: Bounds): EventTail {
    const existing = this.#tails.get(accountId);
    if (existing) return existing;
    const tail = new EventTail(after < newest ? Math.max(oldest - 1, newest - TAIL_SIZE) : newest);
    this.#tails.set(accountId, tail);
    this.#readNewEvents(accountId, tail); // events since the bounds were read caused no wake-up
    // A failed poll is ignored: the next one may succeed.
    this.#poll ??= setInterval(() => this.#pollTails().catch(() => undefined), POLL_INTERVAL_MS).unref();
    return tail;
  }

  #removeFollower(accountId: number, tail: EventTail, follower: Follower): void {
    tail.remove(follower);
    if (tail.followers.size === 0) this.#tails.delete(accountId);
    if (this.#tails.size > 0) return;
    clearInterval(this.#poll);
    this.#poll = undefined;
  }

  /** Reads new events into a tail. A call during a read makes that read continue. */
  #readNewEvents(accountId: number, tail: EventTail): void {
    const activeRead = this.#activeReads.get(tail);
    if (activeRead) {
      activeRead.readAgain = true;
      return;
    }
    const newRead = { readAgain: false };
    this.#activeReads.set(tail, newRead);
    const read = async () => {
      try {
        do {
          newRead.readAgain = false;
          const rows = await this.#database.run(findAfter, { accountId, position: tail.position });
          tail.append(rows.map(toEvent));
          if (rows.length < BATCH_SIZE) continue;
          newRead.readAgain = true;
          await setImmediate();
        } while (newRead.readAgain && tail.followers.size > 0);
      } finally {
        this.#activeReads.delete(tail); // in the same tick as the last check of `readAgain`, so that no wake-up is lost
      }
    };
    read().catch(() => undefined); // the poll tries again
  }

  /** The backstop: after a lost wake-up, or a commit by another process, events are late but not lost. */
  async #pollTails(): Promise<void> {
    for (const [accountId, tail] of [...this.#tails]) {
      if ((await this.readPosition(accountId)) > tail.position) this.#readNewEvents(accountId, tail);
      for (const follower of tail.followers) {
        if (follower.isAttached && tail.position - follower.position >= PROGRESS_INTERVAL) follower.wake();
      }
    }
  }

  /** Reads the next events of a follower whose position is older than the tail. */
  async #readFromDatabase(accountId: number, follower: Follower): Promise<LoggedEvent[]> {
    await setImmediate(); // one of possibly many reads: let other work run
    const { newest } = await this.#requireBounds(accountId, follower);
    const { position, topics } = follower;
    const lastPosition = topics && !hasTopicIndex(topics) ? Math.min(newest, position + MAX_SCANNED_POSITIONS) : newest;
    const query = selectAfter(this.#database.read, accountId, position).where('position', '<=', lastPosition);
    const rows = await (topics ? query.where(matchTopicsRoughly(topics)) : query).execute();
    follower.position = rows.length < BATCH_SIZE ? lastPosition : (rows.at(-1)?.position ?? lastPosition);
    return rows.map(toEvent).filter((event) => follower.wants(listTopics(event)));
  }

  /** Throws if a follower's position is not in the log. */
  async #requireBounds(accountId: number, { position }: Pick<Follower, 'position'>): Promise<Bounds> {
    const bounds = await this.readBounds(accountId);
    if (position > bounds.newest) throw new DomainError('invalid', 'The position does not exist yet.');
    if (position < bounds.oldest - 1) throw positionTooOld();
    return bounds;
  }
}

/** The messages name no position: visitors must not see the number. */
export function positionTooOld(): DomainError {
  return new DomainError('invalid', 'The position is too old: read again and follow from the current position.');
}

function selectAfter(
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
    .limit(BATCH_SIZE);
}

type Row = Pick<Tables['events'], (typeof COLUMNS)[number]>;

function toEvent(row: Row): LoggedEvent {
  return { ...row, changes: JSON.parse(row.changes) as Changes };
}

/** Events of one conversation are found by an index, because a conversation is always the subject of its events. */
function hasTopicIndex(topics: ReadonlySet<string>): boolean {
  const [topic] = topics;
  return topics.size === 1 && topic?.startsWith('conversation:') === true;
}

/** Excludes most events of other topics before they are read and parsed. The result still needs an exact check. */
function matchTopicsRoughly(topics: ReadonlySet<string>) {
  return (eb: ExpressionBuilder<Tables, 'events'>) =>
    eb.or(
      [...topics].flatMap((topic) => {
        const [kind = '', id = ''] = topic.split(':');
        if (id === ANY_SUBJECT) return eb('subjectType', '=', kind);
        const fields = Object.entries(TOPIC_FIELDS).filter(([, fieldKind]) => fieldKind === kind);
        return [
          eb.and([eb('subjectType', '=', kind), eb('subjectId', '=', Number(id))]),
          ...fields.flatMap(([name]) => [',', '}'].map((end) => eb('changes', 'like', `%"${name}":${id}${end}%`))),
        ];
      }),
    );
}

/**
 * Deletes events past their retention. Deletes only from the beginning of the log, so that positions have no gaps.
 * Retains events that webhooks have not processed yet, and the newest event, which marks the log's position.
 */
export function deleteOldEvents(
  database: Database,
  accountId: number,
  {
    retentionMs,
    findDeliveredPosition,
  }: { retentionMs: number; findDeliveredPosition: (tx: Transaction) => Promise<number | null> },
  signal?: AbortSignal,
): Promise<void> {
  const selectBatch = async (tx: Transaction, limit: number) => {
    const oldest = await tx.db
      .selectFrom('events')
      .select(['position', 'at'])
      .where('accountId', '=', accountId)
      .where('position', '<', (eb) => eb.selectFrom('accounts').select('eventPosition').where('id', '=', accountId))
      .orderBy('position')
      .limit(limit)
      .execute();
    const deliveredPosition = await findDeliveredPosition(tx);
    const firstRetained = oldest.findIndex(
      ({ position, at }) => at >= tx.now - retentionMs || (deliveredPosition !== null && position > deliveredPosition),
    );
    const lastDeletable = (firstRetained < 0 ? oldest : oldest.slice(0, firstRetained)).at(-1);
    const where = sql`account_id = ${accountId} and position <= ${lastDeletable?.position}`;
    return lastDeletable && { table: 'events', key: ['account_id', 'position'], where };
  };
  return deleteInBatches(database, selectBatch, signal);
}
