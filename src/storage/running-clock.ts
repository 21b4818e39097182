const TICK_MS = 50;
/** A later tick means that the process got no CPU time, or that its event loop was blocked. */
const MAX_TICK_MS = 75;

/**
 * A clock that pauses while the process is stopped, throttled or blocked, so that a stall of this process is not
 * mistaken for a timeout of the database.
 */
export class RunningClock {
  readonly #now: () => number;
  #stalledMs = 0;
  #tickedAt: number;
  readonly #ticks = setInterval(() => this.#tick(), TICK_MS).unref();

  constructor(now = () => performance.now()) {
    this.#now = now;
    this.#tickedAt = now();
  }

  /** Milliseconds since an arbitrary start. */
  now(): number {
    return this.#now() - this.stalledMs;
  }

  /** Total time that the process was stalled since this clock was created. */
  get stalledMs(): number {
    return this.#stalledMs + Math.max(0, this.#now() - this.#tickedAt - MAX_TICK_MS);
  }

  stop(): void {
    clearInterval(this.#ticks);
  }

  #tick(): void {
    this.#stalledMs = this.stalledMs;
    this.#tickedAt = this.#now();
  }
}
