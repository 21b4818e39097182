import { hash } from 'node:crypto';

/**
 * Random numbers that a seed decides. Everybody in a simulation has a source of their own, named after them: what one
 * person does never changes what another one draws.
 */
export class Random {
  readonly #seed: string;
  #state: number;

  constructor(seed: string) {
    this.#seed = seed;
    this.#state = Number.parseInt(hash('sha256', seed, 'hex').slice(0, 8), 16);
  }

  /** A source of its own for somebody or something. */
  for(name: string): Random {
    return new Random(`${this.#seed}/${name}`);
  }

  /** From 0 up to, but not with, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  /** A whole number, both ends included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.next() * list.length)] as T;
  }

  /** One of the names, as often as their weights say. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries<number>(weights) as [Name, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return (entries.at(-1) as [Name, number])[0];
  }

  /** So many different ones, in no particular order. */
  some<T>(list: readonly T[], count: number): T[] {
    const rest = [...list];
    return Array.from(
      { length: Math.min(count, rest.length) },
      () => rest.splice(Math.floor(this.next() * rest.length), 1)[0] as T,
    );
  }

  /** Times between things that happen by chance. */
  exponential(mean: number): number {
    return -Math.log(1 - this.next()) * mean;
  }
}
