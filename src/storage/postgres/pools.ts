import { DeadlineExceeded, withDeadline } from '../deadline.ts';
import { DatabaseUnavailable } from '../errors.ts';
import type { RunningClock } from '../running-clock.ts';
import type { Execute } from './dialect.ts';
import type { Session } from './session.ts';

type OpenSession = () => Session;

/** More would wait longer for each other than they save. */
const MAX_STATEMENTS_PER_TURN = 8;

/** Connections shared by concurrent reads. */
export class ReaderPool {
  readonly #open: OpenSession;
  readonly #timeoutMs: number;
  readonly #clock: RunningClock;
  readonly #sessions: Session[];
  #generation = 0;
  #turnSession: Session | undefined;

  constructor(open: OpenSession, size: number, timeoutMs: number, clock: RunningClock) {
    this.#open = open;
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
    this.#sessions = Array.from({ length: size }, open);
  }

  /** Retries a read on another connection if its connection was lost, within the same time limit. */
  readonly execute: Execute = (text, parameters) => this.#executeOn(this.#findLeastBusy(), text, parameters);

  /**
   * Also shares the connection with other reads of this turn of the event loop. The driver sends them together: one
   * system call instead of several. For reads that are short.
   */
  readonly executeTogether: Execute = (text, parameters) =>
    this.#executeOn(this.#chooseTurnSession(), text, parameters);

  async #executeOn(session: Session, text: string, parameters: readonly unknown[]) {
    const startedAt = this.#clock.now();
    const generation = this.#generation;
    try {
      return await session.execute(text, parameters);
    } catch (error) {
      const remainingMs = this.#timeoutMs - (this.#clock.now() - startedAt);
      if (!(error instanceof DatabaseUnavailable) || error.cause instanceof DeadlineExceeded || remainingMs <= 0)
        throw error;
      if (generation !== this.#generation) throw error; // discarded in the meantime
      return await this.#findLeastBusy().execute(text, parameters, remainingMs);
    }
  }

  /** Abandons all pending reads. */
  discardAll(): void {
    this.#generation += 1;
    for (const session of this.#sessions) session.discard();
  }

  discardUnresponsive(milliseconds: number): void {
    for (const session of this.#sessions) session.discardIfUnresponsiveFor(milliseconds);
  }

  get busy(): number {
    return this.#sessions.filter(({ pending }) => pending > 0).length;
  }

  /** Statements queued behind others on the same connection. */
  get waiting(): number {
    return this.#sessions.reduce((sum, { pending }) => sum + Math.max(0, pending - 1), 0);
  }

  async end(seconds: number): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.end(seconds)));
  }

  #chooseTurnSession(): Session {
    const current = this.#turnSession;
    if (current && !current.isDiscarded && current.pending < MAX_STATEMENTS_PER_TURN) return current;
    const session = this.#findLeastBusy();
    if (!current) setImmediate(this.#endTurn);
    this.#turnSession = session;
    return session;
  }

  readonly #endTurn = () => {
    this.#turnSession = undefined;
  };

  /** Prefers the first idle connection, so that no more are opened than needed. */
  #findLeastBusy(): Session {
    let leastBusy = 0;
    for (const [index, session] of this.#sessions.entries()) {
      if (session.hasTooManyPrepared && session.pending === 0) session.discard();
      if (session.isDiscarded) this.#sessions[index] = this.#open();
      const { pending } = this.#sessions[index] as Session;
      if (pending === 0) return this.#sessions[index] as Session;
      if (pending < (this.#sessions[leastBusy] as Session).pending) leastBusy = index;
    }
    return this.#sessions[leastBusy] as Session;
  }
}

interface Waiter {
  resolve(session: Session): void;
  reject(error: unknown): void;
}

/** Connections that each serve one transaction at a time. */
export class WriterPool {
  readonly #open: OpenSession;
  readonly #size: number;
  readonly #maxWaitMs: number;
  readonly #clock: RunningClock;
  readonly #sessions = new Set<Session>();
  readonly #idle: Session[] = [];
  readonly #queue = new Set<Waiter>();

  constructor(open: OpenSession, size: number, maxWaitMs: number, clock: RunningClock) {
    this.#open = open;
    this.#size = size;
    this.#maxWaitMs = maxWaitMs;
    this.#clock = clock;
  }

  async acquire(): Promise<Session> {
    const session = this.#takeIdle() ?? this.#openAnother();
    if (session) return session;
    const { promise, resolve, reject } = Promise.withResolvers<Session>();
    const waiter: Waiter = { resolve, reject };
    this.#queue.add(waiter);
    try {
      return await withDeadline(promise, this.#maxWaitMs, this.#clock);
    } catch (cause) {
      promise.then(
        (lateSession) => this.release(lateSession),
        () => undefined,
      );
      throw new DatabaseUnavailable('No database connection is available.', { cause });
    } finally {
      this.#queue.delete(waiter);
    }
  }

  release(session: Session): void {
    session.endTransaction();
    if (session.hasTooManyPrepared) session.discard();
    if (session.isDiscarded) this.#sessions.delete(session);
    const [next] = this.#queue;
    const freeSession = session.isDiscarded ? (next ? this.#openAnother() : undefined) : session;
    if (!freeSession) return;
    if (!next) {
      this.#idle.push(freeSession);
      return;
    }
    this.#queue.delete(next);
    next.resolve(freeSession);
  }

  /** Fails all waiters when the server does not respond to earlier statements. */
  rejectWaiting(cause: unknown): void {
    for (const waiter of this.#queue) {
      this.#queue.delete(waiter); // immediately, so that it cannot receive a connection
      waiter.reject(cause);
    }
  }

  discardUnresponsive(milliseconds: number): void {
    for (const session of this.#idle) session.discardIfUnresponsiveFor(milliseconds);
  }

  get busy(): number {
    return this.#sessions.size - this.#idle.length;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  async end(seconds: number): Promise<void> {
    this.rejectWaiting(undefined);
    await Promise.all([...this.#sessions].map((session) => session.end(seconds)));
  }

  #takeIdle(): Session | undefined {
    for (;;) {
      const session = this.#idle.pop();
      if (!session?.isDiscarded) return session;
      this.#sessions.delete(session);
    }
  }

  #openAnother(): Session | undefined {
    if (this.#sessions.size >= this.#size) return undefined;
    const session = this.#open();
    this.#sessions.add(session);
    return session;
  }
}
