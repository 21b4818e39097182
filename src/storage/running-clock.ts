const TICK_MS = 50;
/** A tick that comes later than this shows that the process had no processor, or that its event loop was blocked. */
const MAX_TICK_MS = 75;

/**
 * A clock that stands still while the process is stopped, throttled or blocked. A deadline on this clock never takes the
 * process's own standstill for silence of the other side.
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

  /** Milliseconds since some moment in the past. */
  now(): number {
    return this.#now() - this.stalledMs;
  }

  /** How long the process has stood still since this clock was made. */
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
