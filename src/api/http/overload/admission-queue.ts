import { afterMicrotasks } from '../after-microtasks.ts';
import { REQUEST_CLASSES, type RequestClass } from './request-class.ts';
import { WaitingLine } from './waiting-line.ts';

/**
 * How long requests are served before the event loop continues. It accepts only one new connection per turn, so long
 * turns would lock out new clients.
 */
const SLICE_MS = 2;
/** After a turn in which many requests were read, requests are served for as long as reading took, up to this. */
const MAX_SLICE_MS = 5;
/** Requests that are being served, including those for which the service waits, for example for the database. */
const MAX_RUNNING: Readonly<Record<RequestClass, number>> = { conversation: 1000, integration: 750, anonymous: 500 };
/** How often requests that wait for others to finish are checked for having waited too long. */
const RECHECK_MS = 10;
/** The weight of the newest value in an average. */
const SMOOTHING = 0.01;

export interface QueuedRequest {
  readonly requestClass: RequestClass;
  /** Whether the client has left. */
  isGone(): boolean;
  serve(): void;
  refuse(): void;
}

/**
 * Decides which requests are served, and when: at once while there is little to do, otherwise the most important class
 * first. A request that would wait too long is refused on arrival, when it has cost almost nothing.
 */
export class AdmissionQueue {
  readonly #readClock: () => number;
  readonly #lines: Readonly<Record<RequestClass, WaitingLine<QueuedRequest>>>;
  #waitingCount = 0;
  #runningCount = 0;
  /** The current turn of the event loop, from the first request in it. */
  #isTurnEnding = false;
  #turnStartedAt = 0;
  #recheck: NodeJS.Timeout | undefined;
  /** The average time from serving one request to the next while requests wait. */
  #intervalMs = 0;
  #lastServedAt: number | undefined;

  constructor(burstMs: number, readClock: () => number) {
    this.#readClock = readClock;
    const createLine = () => new WaitingLine<QueuedRequest>(burstMs);
    this.#lines = { conversation: createLine(), integration: createLine(), anonymous: createLine() };
  }

  get waitingCount(): number {
    return this.#waitingCount;
  }

  /** Whether a request that arrives now can be served in time. Called for every request. */
  isOpen(requestClass: RequestClass): boolean {
    const now = this.#readClock();
    this.#enterTurn(now);
    if (this.#waitingCount === 0) return true;
    let ahead = 0;
    for (const name of REQUEST_CLASSES) {
      ahead += this.#lines[name].length;
      if (name === requestClass) break;
    }
    return ahead * this.#intervalMs <= this.#lines[requestClass].getMaxWaitMs(now);
  }

  /** Serves the request now or later, or refuses it. */
  admit(request: QueuedRequest): void {
    const { requestClass } = request;
    if (!this.isOpen(requestClass)) {
      request.refuse();
      return;
    }
    const now = this.#readClock();
    const hasTime = now - this.#turnStartedAt < SLICE_MS;
    if (this.#waitingCount === 0 && hasTime && this.#canRun(requestClass)) {
      request.serve();
      return;
    }
    this.#lines[requestClass].add(request, now);
    this.#waitingCount += 1;
  }

  markStarted(): void {
    this.#runningCount += 1;
  }

  markFinished(): void {
    this.#runningCount -= 1;
    if (this.#recheck) this.#enterTurn(this.#readClock());
  }

  #canRun(requestClass: RequestClass): boolean {
    return this.#runningCount < MAX_RUNNING[requestClass];
  }

  #enterTurn(now: number): void {
    if (this.#isTurnEnding) return;
    this.#isTurnEnding = true;
    this.#turnStartedAt = now;
    setImmediate(this.#endTurn);
  }

  readonly #endTurn = () => {
    this.#isTurnEnding = false;
    clearTimeout(this.#recheck);
    this.#recheck = undefined;
    const now = this.#readClock();
    for (const name of REQUEST_CLASSES) this.#refuseExpired(this.#lines[name], now);
    const sliceMs = Math.max(SLICE_MS, now - this.#turnStartedAt);
    this.#serveUntil(now + Math.min(sliceMs, MAX_SLICE_MS));
  };

  #refuseExpired(line: WaitingLine<QueuedRequest>, now: number): void {
    for (let expired = line.takeExpired(now); expired; expired = line.takeExpired(now)) {
      this.#waitingCount -= 1;
      expired.refuse();
    }
  }

  #serveUntil(end: number): void {
    const start = this.#readClock();
    if (this.#waitingCount === 0) {
      this.#lastServedAt = undefined;
      return;
    }
    if (start >= end) {
      this.#enterTurn(start);
      return;
    }
    if (!this.#serveOne(start)) {
      this.#recheck = setTimeout(() => this.#enterTurn(this.#readClock()), RECHECK_MS);
      return;
    }
    afterMicrotasks(() => this.#serveUntil(end));
  }

  /** Returns false if no request can be served now. */
  #serveOne(now: number): boolean {
    const name = REQUEST_CLASSES.find((name) => this.#lines[name].length > 0 && this.#canRun(name));
    const next = name && this.#lines[name].takeNext();
    if (!next) return false;
    this.#waitingCount -= 1;
    if (this.#lastServedAt !== undefined) this.#intervalMs += SMOOTHING * (now - this.#lastServedAt - this.#intervalMs);
    this.#lastServedAt = now;
    if (!next.isGone()) next.serve();
    return true;
  }
}
