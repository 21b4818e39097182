import { DeadlineExceeded, inTime } from '../deadline.ts';
import { DatabaseUnavailable } from '../errors.ts';
import type { RunningClock } from '../running-clock.ts';
import type { Execute } from './dialect.ts';
import type { Session } from './session.ts';

type Open = () => Session;

/** Connections that many read through at once. */
export class Readers {
  readonly #open: Open;
  readonly #patienceMs: number;
  readonly #clock: RunningClock;
  readonly #sessions: Session[];
  #generation = 0;

  constructor(open: Open, size: number, patienceMs: number, clock: RunningClock) {
    this.#open = open;
    this.#patienceMs = patienceMs;
    this.#clock = clock;
    this.#sessions = Array.from({ length: size }, open);
  }

  /** A read whose connection was lost is done again on another one, within the same time. */
  readonly execute: Execute = async (text, parameters) => {
    const startedAt = this.#clock.now();
    const generation = this.#generation;
    try {
      return await this.#leastBusy().execute(text, parameters);
    } catch (error) {
      const left = this.#patienceMs - (this.#clock.now() - startedAt);
      if (!(error instanceof DatabaseUnavailable) || error.cause instanceof DeadlineExceeded || left <= 0) throw error;
      if (generation !== this.#generation) throw error; // nobody waits for it any more
      return await this.#leastBusy().execute(text, parameters, left);
    }
  };

  /** None of them is waited for any more. */
  discardAll(): void {
    this.#generation += 1;
    for (const session of this.#sessions) session.discard();
  }

  discardUnheard(milliseconds: number): void {
    for (const session of this.#sessions) session.discardIfUnheardFor(milliseconds);
  }

  get busy(): number {
    return this.#sessions.filter(({ pending }) => pending > 0).length;
  }

  /** Statements behind others on the same connection. */
  get waiting(): number {
    return this.#sessions.reduce((sum, { pending }) => sum + Math.max(0, pending - 1), 0);
  }

  async end(seconds: number): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.end(seconds)));
  }

  /** The first of them that is idle, so that no more are opened than needed. */
  #leastBusy(): Session {
    let best = 0;
    for (const [index, session] of this.#sessions.entries()) {
      if (session.isFull && session.pending === 0) session.discard();
      if (session.isDiscarded) this.#sessions[index] = this.#open();
      const { pending } = this.#sessions[index] as Session;
      if (pending === 0) return this.#sessions[index] as Session;
      if (pending < (this.#sessions[best] as Session).pending) best = index;
    }
    return this.#sessions[best] as Session;
  }
}

interface Waiting {
  go(session: Session): void;
  fail(error: unknown): void;
}

/** Connections that one transaction at a time has for itself. */
export class Writers {
  readonly #open: Open;
  readonly #size: number;
  readonly #longestWaitMs: number;
  readonly #clock: RunningClock;
  readonly #sessions = new Set<Session>();
  readonly #idle: Session[] = [];
  readonly #queue = new Set<Waiting>();

  constructor(open: Open, size: number, longestWaitMs: number, clock: RunningClock) {
    this.#open = open;
    this.#size = size;
    this.#longestWaitMs = longestWaitMs;
    this.#clock = clock;
  }

  async take(): Promise<Session> {
    const session = this.#fromIdle() ?? this.#another();
    if (session) return session;
    const { promise, resolve, reject } = Promise.withResolvers<Session>();
    const waiting: Waiting = { go: resolve, fail: reject };
    this.#queue.add(waiting);
    try {
      return await inTime(promise, this.#longestWaitMs, this.#clock);
    } catch (cause) {
      promise.then(
        (late) => this.giveBack(late),
        () => undefined,
      );
      throw new DatabaseUnavailable('No connection to the database is free.', { cause });
    } finally {
      this.#queue.delete(waiting);
    }
  }

  giveBack(session: Session): void {
    session.release();
    if (session.isFull) session.discard();
    if (session.isDiscarded) this.#sessions.delete(session);
    const [next] = this.#queue;
    const free = session.isDiscarded ? (next ? this.#another() : undefined) : session;
    if (!free) return;
    if (!next) {
      this.#idle.push(free);
      return;
    }
    this.#queue.delete(next);
    next.go(free);
  }

  /** Nobody who waits goes on waiting when the server does not answer those before them. */
  failWaiting(cause: unknown): void {
    for (const waiting of this.#queue) {
      this.#queue.delete(waiting); // at once, so that no connection is handed to it any more
      waiting.fail(cause);
    }
  }

  discardUnheard(milliseconds: number): void {
    for (const session of this.#idle) session.discardIfUnheardFor(milliseconds);
  }

  get busy(): number {
    return this.#sessions.size - this.#idle.length;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  async end(seconds: number): Promise<void> {
    this.failWaiting(undefined);
    await Promise.all([...this.#sessions].map((session) => session.end(seconds)));
  }

  #fromIdle(): Session | undefined {
    for (;;) {
      const session = this.#idle.pop();
      if (!session?.isDiscarded) return session;
      this.#sessions.delete(session);
    }
  }

  #another(): Session | undefined {
    if (this.#sessions.size >= this.#size) return undefined;
    const session = this.#open();
    this.#sessions.add(session);
    return session;
  }
}
