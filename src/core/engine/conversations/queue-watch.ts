import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../../storage/database.ts';
import type { EventLog } from '../../events/event-log.ts';
import type { LoggedEvent } from '../../events/event-tail.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { SignalListener } from '../../signals/signal-listener.ts';
import type { Signals } from '../../signals/signals.ts';
import { loadQueueViews, type QueueView } from './queue-views.ts';

/** Between two reads of a queue, and between two views that one viewer gets. */
const INTERVAL_MS = 1000;

/** A subscription to the queue. It keeps the newest view only: one that was not sent yet is replaced. */
class QueueViewer {
  readonly caller: Caller;
  #view: QueueView | undefined;
  #error: unknown;
  #wake: (() => void) | undefined;

  constructor(caller: Caller) {
    this.caller = caller;
  }

  show(view: QueueView): void {
    this.#view = view;
    this.wake();
  }

  fail(error: unknown): void {
    this.#error = error;
    this.wake();
  }

  wake(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  /** Resolves with the next view; undefined if the viewer was woken for another reason. */
  async take(): Promise<QueueView | undefined> {
    if (!this.#view && !this.#error) await new Promise<void>((resolve) => (this.#wake = resolve));
    if (this.#error) throw this.#error;
    const view = this.#view;
    this.#view = undefined;
    return view;
  }
}

/**
 * Shows the queue of each account to any number of viewers. One follower of the event log notices the changes of an
 * account, and at most once a second one read serves all its viewers; an account whose queue does not change costs
 * nothing. Only the first view of a viewer may need a read of its own, which those who come at the same time share.
 */
export class QueueWatch {
  readonly #database: Database;
  readonly #log: EventLog;
  readonly #signals: Signals;
  readonly #queues = new Map<number, AccountQueue>();

  constructor(database: Database, log: EventLog, signals: Signals) {
    this.#database = database;
    this.#log = log;
    this.#signals = signals;
  }

  /** Yields what the caller sees now, then again after changes, until the signal aborts. */
  async *watch(caller: Caller, signal: AbortSignal): AsyncGenerator<QueueView> {
    const { accountId } = caller;
    const queue = this.#getQueue(accountId);
    const viewer = new QueueViewer(caller);
    const wake = () => viewer.wake();
    signal.addEventListener('abort', wake);
    queue.add(viewer);
    try {
      for (let sentKey = ''; !signal.aborted; ) {
        const view = await viewer.take();
        if (!view || view.key === sentKey) continue;
        const sentAt = performance.now();
        sentKey = view.key;
        yield view;
        await delay(sentAt + INTERVAL_MS - performance.now(), undefined, { signal }).catch(() => undefined);
      }
    } finally {
      signal.removeEventListener('abort', wake);
      queue.remove(viewer);
      if (queue.isClosed && this.#queues.get(accountId) === queue) this.#queues.delete(accountId);
    }
  }

  #getQueue(accountId: number): AccountQueue {
    const existing = this.#queues.get(accountId);
    if (existing && !existing.isClosed) return existing;
    const queue = new AccountQueue(this.#database, this.#log, this.#signals, accountId);
    this.#queues.set(accountId, queue);
    return queue;
  }
}

/** The queue of an account, as long as it has viewers. */
class AccountQueue {
  readonly #database: Database;
  readonly #log: EventLog;
  readonly #accountId: number;
  readonly #viewers = new Set<QueueViewer>();
  readonly #presences: SignalListener;
  readonly #stop = new AbortController();
  /** Changes after this moment are noticed, so that no read misses them. */
  readonly #isFollowing: Promise<void>;
  /** Viewers without a view. */
  #newcomers: QueueViewer[] = [];
  /** One read at a time. */
  #reads: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #listedIds: ReadonlySet<number> = new Set();

  constructor(database: Database, log: EventLog, signals: Signals, accountId: number) {
    this.#database = database;
    this.#log = log;
    this.#accountId = accountId;
    this.#presences = signals.listen(accountId, { operatorId: null });
    this.#followPresences();
    const position = log.readPosition(accountId);
    this.#isFollowing = position.then(() => undefined);
    this.#follow(position).catch((error) => this.#failAll(error));
  }

  add(viewer: QueueViewer): void {
    this.#viewers.add(viewer);
    if (this.#newcomers.push(viewer) > 1) return;
    this.#reads = this.#reads.then(() => this.#readForNewcomers());
  }

  remove(viewer: QueueViewer): void {
    this.#viewers.delete(viewer);
    if (this.#viewers.size === 0) this.#close();
  }

  /** Nothing is followed any more: the last viewer has gone, or the log could not be followed. */
  get isClosed(): boolean {
    return this.#stop.signal.aborted;
  }

  #close(): void {
    this.#stop.abort();
    this.#presences.close();
    clearTimeout(this.#timer);
  }

  async #follow(start: Promise<number>): Promise<void> {
    for await (const events of this.#log.follow(this.#accountId, await start, this.#stop.signal))
      if (events.some((event) => this.#canChangeViews(event))) this.#scheduleRead();
  }

  /** No event tells of visitors who leave and come back. */
  async #followPresences(): Promise<void> {
    for await (const { kind } of this.#presences.receive())
      if (kind === 'visitor_left' || kind === 'visitor_back') this.#scheduleRead();
  }

  #canChangeViews({ type, subjectType, subjectId }: LoggedEvent): boolean {
    if (subjectType === 'conversation') return type !== 'message.created' || this.#listedIds.has(subjectId);
    if (subjectType === 'operator') return [...this.#viewers].some(({ caller }) => caller.operatorId === subjectId);
    return ['account', 'skill', 'group', 'website'].includes(subjectType);
  }

  #scheduleRead(): void {
    if (this.#timer !== undefined || this.isClosed) return;
    const wait = Math.max(0, this.#readAt + INTERVAL_MS - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#reads = this.#reads.then(() => this.#readForAll());
    }, wait).unref();
  }

  async #readForNewcomers(): Promise<void> {
    const newcomers = this.#newcomers;
    try {
      await this.#isFollowing;
      this.#newcomers = [];
      await this.#read(newcomers);
    } catch (error) {
      this.#newcomers = [];
      for (const viewer of newcomers) viewer.fail(error);
    }
  }

  /** Viewers keep the view that they have while the database is away or overloaded. */
  async #readForAll(): Promise<void> {
    await this.#read([...this.#viewers]).catch(() => this.#scheduleRead());
  }

  async #read(viewers: readonly QueueViewer[]): Promise<void> {
    if (this.isClosed || viewers.length === 0) return;
    this.#readAt = performance.now();
    const views = await loadQueueViews(this.#database, this.#accountId, viewers);
    const listed = [...new Set(views.values())].flatMap(({ conversations }) => conversations.map(({ id }) => id));
    const isComplete = viewers.length >= this.#viewers.size;
    this.#listedIds = new Set(isComplete ? listed : [...this.#listedIds, ...listed]);
    for (const [viewer, view] of views) viewer.show(view);
  }

  /** New viewers start again with another follower. */
  #failAll(error: unknown): void {
    this.#close();
    for (const viewer of this.#viewers) viewer.fail(error);
  }
}
