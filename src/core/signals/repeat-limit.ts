/** Admits one call per key and interval. Remembers only the keys of the last two intervals. */
export class RepeatLimit {
  readonly #intervalMs: number;
  readonly #now: () => number;
  #current = new Map<string, number>();
  #previous = new Map<string, number>();
  #startedAt = Number.NEGATIVE_INFINITY;

  constructor(intervalMs: number, now: () => number = () => performance.now()) {
    this.#intervalMs = intervalMs;
    this.#now = now;
  }

  admit(key: string): boolean {
    const now = this.#now();
    if (now - this.#startedAt >= this.#intervalMs) {
      this.#previous = this.#current;
      this.#current = new Map();
      this.#startedAt = now;
    }
    const admittedAt = this.#current.get(key) ?? this.#previous.get(key);
    if (admittedAt !== undefined && now - admittedAt < this.#intervalMs) return false;
    this.#current.set(key, now);
    return true;
  }
}
