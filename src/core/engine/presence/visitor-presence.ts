import { LRUCache } from 'lru-cache';
import type { Database, Transaction } from '../../../storage/database.ts';
import { upToEntries } from '../../kernel/caches.ts';
import { systemContext } from '../../kernel/caller.ts';
import type { Conversation } from '../records/conversation.ts';
import { findOpenConversations, updateConversation } from '../records/conversation-store.ts';
import { isOrderOfAbsent, toOrderOfAbsent, toOrderOfPresent } from '../records/queue-order.ts';
import {
  deletePresence,
  findPresence,
  isPassedOver,
  markBack,
  markLeft,
  type PresenceRenewal,
  renewPresences,
  selectUnsettledVisitors,
  type VisitorKey,
} from '../records/visitor-presence-store.ts';
import { requeue } from '../routing/offers.ts';
import { route } from '../routing/router.ts';

/** A socket is pinged every 15 s. A page change, or one lost ping, does not make the visitor absent. */
const SOCKET_LEASE_MS = 30_000;
/** A visitor who asked within the last minute is present. */
export const REQUEST_LEASE_MS = 60_000;
/** Requests renew only when less than a minute is left of the last renewal, which lasts this much longer. */
const REQUEST_SLACK_MS = 10_000;

/** Sockets are pinged in batches, and those of one batch answer within this time. */
const BATCH_WINDOW_MS = 50;
/** Bounds the transaction. */
const MAX_BATCH_SIZE = 100;
const MAX_SETTLED = 200;
const MAX_REMEMBERED = 50_000;

/** When the visitor left; null while they are present. */
export interface VisitorState {
  readonly id: number;
  readonly leftAt: number | null;
}

/** A visitor with open conversations left or came back. */
export interface VisitorPresenceChange extends VisitorKey {
  readonly isPresent: boolean;
  readonly conversations: readonly Conversation[];
}

/**
 * Visitors are present while a socket answers pings or they asked within the last minute. Renewals are the most
 * frequent change of all, so they are collected, need no account's lock and announce nothing.
 */
export class VisitorPresence {
  readonly #database: Database;
  readonly #pending = new Map<string, PresenceRenewal>();
  /** Until when this node has renewed a visitor, by its own clock. */
  readonly #renewedUntil = new LRUCache<string, number>(upToEntries(MAX_REMEMBERED));
  readonly #listeners = new Set<(change: VisitorPresenceChange) => void>();
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Calls the listener after the commit, on the node that noticed the change. Returns a function that unsubscribes. */
  onChange(listener: (change: VisitorPresenceChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Call when a socket has opened, and whenever it has answered a ping. */
  noteSocket({ accountId, visitorId }: VisitorKey): void {
    // Requests before the first socket could not be stored, but count too.
    const remainingMs = (this.#renewedUntil.get(toKey({ accountId, visitorId })) ?? 0) - performance.now();
    const milliseconds = Math.max(SOCKET_LEASE_MS, Math.ceil(remainingMs));
    this.#add({ accountId, visitorId, milliseconds, bySocket: true });
  }

  /** Call for every request. */
  noteRequest({ accountId, visitorId }: VisitorKey): void {
    const renewedUntil = this.#renewedUntil.get(toKey({ accountId, visitorId })) ?? 0;
    if (renewedUntil >= performance.now() + REQUEST_LEASE_MS) return;
    this.#add({ accountId, visitorId, milliseconds: REQUEST_LEASE_MS + REQUEST_SLACK_MS, bySocket: false });
  }

  #add(renewal: PresenceRenewal): void {
    const key = toKey(renewal);
    const other = this.#pending.get(key);
    const milliseconds = Math.max(renewal.milliseconds, other?.milliseconds ?? 0);
    this.#pending.set(key, { ...renewal, milliseconds, bySocket: renewal.bySocket || other?.bySocket === true });
    const renewedUntil = performance.now() + milliseconds;
    this.#renewedUntil.set(key, Math.max(renewedUntil, this.#renewedUntil.get(key) ?? 0));
    this.#timer ??= setTimeout(() => this.flush(), BATCH_WINDOW_MS).unref();
  }

  /** Stores the collected renewals, and lets visitors who were absent back in. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // In the same order on every node, to avoid deadlocks.
    const renewals = [...this.#pending.values()].sort((a, b) => a.accountId - b.accountId || a.visitorId - b.visitorId);
    this.#pending.clear();
    for (let start = 0; start < renewals.length; start += MAX_BATCH_SIZE) {
      const batch = renewals.slice(start, start + MAX_BATCH_SIZE);
      try {
        const returned = await this.#database.transaction((tx) => renewPresences(tx, batch));
        await this.#settleAll(returned);
      } catch {
        // The next ping or request renews; until then, the time that is left is long enough.
        for (const renewal of batch) this.#renewedUntil.delete(toKey(renewal));
      }
    }
  }

  /** Loads the state of visitors who have had a socket; the others are omitted. */
  async load(accountId: number, ids: readonly number[]): Promise<VisitorState[]> {
    const rows = await this.#database.read
      .selectFrom('visitorPresence')
      .select(['visitorId as id', 'leftAt'])
      .where('accountId', '=', accountId)
      .where('visitorId', 'in', ids)
      .execute();
    return rows;
  }

  /** Finds visitors who left or came back, whichever node held their sockets. Returns how many. */
  async settle(): Promise<number> {
    const unsettled = await selectUnsettledVisitors(this.#database.read).limit(MAX_SETTLED).execute();
    await this.#settleAll(unsettled);
    return unsettled.length;
  }

  /** An account that is locked for long must not keep the visitors of others: a failure is thrown after the last. */
  async #settleAll(visitors: readonly VisitorKey[]): Promise<void> {
    const failures: unknown[] = [];
    for (const visitor of visitors) {
      try {
        const change = await this.#database.transaction((tx) => settleVisitor(tx, visitor), visitor.accountId);
        if (change) for (const listener of this.#listeners) listener(change);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}

/** Each step checks by the database's clock whether it is due, so that several nodes can try the same. */
async function settleVisitor(tx: Transaction, visitor: VisitorKey): Promise<VisitorPresenceChange | undefined> {
  const [row, conversations] = await Promise.all([findPresence(tx, visitor), findOpenConversations(tx, visitor)]);
  if (!row) return undefined;
  const isPresent = row.presentUntil > tx.now;
  if (!isPresent && conversations.length === 0) {
    await deletePresence(tx, visitor);
    return undefined;
  }
  if (isPresent === (row.leftAt === null)) return undefined;
  const isChanged = isPresent ? await markBack(tx, visitor) : await markLeft(tx, visitor);
  if (!isChanged) return undefined;
  const { accountId, visitorId } = visitor;
  await (isPresent ? returnToQueue(tx, accountId, conversations) : leaveQueue(tx, accountId, conversations));
  return { accountId, visitorId, isPresent, conversations };
}

/** From now on routing passes over the visitor's waiting conversations. */
async function leaveQueue(tx: Transaction, accountId: number, conversations: readonly Conversation[]): Promise<void> {
  const context = systemContext(accountId);
  // Queued conversations first: an operator who gets free must not be offered one of them.
  for (const conversation of conversations.filter(({ state }) => state === 'queued')) {
    if (isOrderOfAbsent(conversation.queueOrder) || !(await isPassedOver(tx, conversation))) continue;
    await updateConversation(tx, context, conversation, { queueOrder: toOrderOfAbsent(conversation.queueOrder) });
  }
  for (const conversation of conversations.filter(({ state }) => state === 'offered')) {
    if (await isPassedOver(tx, conversation)) await requeue(tx, context, conversation, { cause: 'withdrawn' });
  }
}

/** The visitor's waiting conversations have their places again, which may be the first. */
async function returnToQueue(tx: Transaction, accountId: number, conversations: readonly Conversation[]) {
  const context = systemContext(accountId);
  const passedOver = conversations
    .filter(({ state, queueOrder }) => state === 'queued' && isOrderOfAbsent(queueOrder))
    .sort((a, b) => a.queueOrder - b.queueOrder);
  for (const conversation of passedOver) {
    const queueOrder = toOrderOfPresent(conversation.queueOrder);
    const waiting = await updateConversation(tx, context, conversation, { queueOrder });
    if (waiting) await route(tx, context, waiting, 'visitor_returned');
  }
}

function toKey({ accountId, visitorId }: VisitorKey): string {
  return `${accountId} ${visitorId}`;
}
