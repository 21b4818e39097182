/** Seeded random numbers: the same seed always gives the same sequence. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0 and below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.between(0, from.length - 1)] as T;
  }

  sample<T>(from: readonly T[], probability: number): T[] {
    return from.filter(() => this.chance(probability));
  }

  /** Picks a choice with a probability proportional to its weight. */
  pickWeighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T {
    const total = choices.reduce((sum, [weight]) => sum + weight, 0);
    let remaining = this.next() * total;
    for (const [weight, choice] of choices) {
      remaining -= weight;
      if (remaining < 0) return choice;
    }
    return (choices.at(-1) as readonly [number, T])[1];
  }
}
