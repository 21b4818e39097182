/** What requests may wait in an overload, as a share of what they may wait in a burst. */
const OVERLOAD_SHARE = 0.25;
/** Requests that wait this many times longer than expected are refused. */
const TOLERANCE = 1.5;

/**
 * Requests of one class that wait for their turn, in order. In a burst they may wait for `burstMs`. A line that has not
 * been empty for that long is no burst but an overload: its requests wait a quarter as long, and the others are refused at
 * once. Otherwise every request would wait until its client has given up ("controlled delay": Ben Maurer, "Fail at
 * Scale", ACM Queue 2015).
 */
export class WaitingLine<Item> {
  readonly #burstMs: number;
  readonly #entries: { readonly item: Item; readonly since: number }[] = [];
  #filledSince = 0;

  constructor(burstMs: number) {
    this.#burstMs = burstMs;
  }

  get length(): number {
    return this.#entries.length;
  }

  /** How long a request that arrives now may wait. */
  getMaxWaitMs(now: number): number {
    const isOverloaded = this.length > 0 && now - this.#filledSince > this.#burstMs;
    return isOverloaded ? this.#burstMs * OVERLOAD_SHARE : this.#burstMs;
  }

  add(item: Item, now: number): void {
    if (this.length === 0) this.#filledSince = now;
    this.#entries.push({ item, since: now });
  }

  takeNext(): Item | undefined {
    return this.#entries.shift()?.item;
  }

  /** Takes a request that has waited too long. */
  takeExpired(now: number): Item | undefined {
    const [oldest] = this.#entries;
    const hasExpired = oldest !== undefined && now - oldest.since > TOLERANCE * this.getMaxWaitMs(now);
    return hasExpired ? this.takeNext() : undefined;
  }
}
