import { hash } from 'node:crypto';

/**
 * Seeded random numbers. Every participant has a separate generator, so that the behavior of one never changes the
 * numbers of another.
 */
export class Random {
  readonly #seed: string;
  #state: number;

  constructor(seed: string) {
    this.#seed = seed;
    this.#state = Number.parseInt(hash('sha256', seed, 'hex').slice(0, 8), 16);
  }

  /** Returns an independent generator with this name. */
  fork(name: string): Random {
    return new Random(`${this.#seed}/${name}`);
  }

  /** At least 0 and below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  between(min: number, max: number): number {
    return min + this.next() * (max - min);
  }

  /** A whole number, both ends included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.next() * list.length)] as T;
  }

  /** Picks a name with a probability proportional to its weight. */
  pickWeighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries<number>(weights) as [Name, number][];
    let remaining = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      remaining -= weight;
      if (remaining < 0) return name;
    }
    return (entries.at(-1) as [Name, number])[0];
  }

  /** Picks `count` different items, in random order. */
  sample<T>(list: readonly T[], count: number): T[] {
    const rest = [...list];
    return Array.from(
      { length: Math.min(count, rest.length) },
      () => rest.splice(Math.floor(this.next() * rest.length), 1)[0] as T,
    );
  }

  /** Exponentially distributed, as the times between random events. */
  exponential(mean: number): number {
    return -Math.log(1 - this.next()) * mean;
  }
}
