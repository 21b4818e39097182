import { LRUCache } from 'lru-cache';

/**
 * The two ways in which something may be kept in memory that is also in the database. What follows from a text alone (a parsed
 * document, a prepared statement) can never be old, and needs neither: an LRUCache will do.
 */

/**
 * A value may be kept this long from the moment at which it was asked for. A change is noticed everywhere within a second: by
 * this time, and by that in which open connections look again.
 */
const SHORT_LIFE_MS = 500;

interface Reading<T> {
  readonly result: Promise<T | undefined>;
  value?: T | undefined;
}

/** For what every request asks, and what may be old for a moment: credentials and settings. Those who ask at once share one read. */
export class ShortLivedCache<T extends object> {
  readonly #kept: LRUCache<string, Reading<T>>;

  constructor(max = 10_000) {
    this.#kept = new LRUCache({ max, ttl: SHORT_LIFE_MS });
  }

  /** What is known at once. */
  peek(name: string): T | undefined {
    return this.#kept.get(name)?.value;
  }

  /** What does not exist is asked for every time: it may exist by now. */
  async get(name: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const kept = this.#kept.get(name);
    const known = kept && (kept.value ?? (await kept.result));
    if (known) return known;
    const start = performance.now(); // a change that is made while it is read may be missed
    const reading: Reading<T> = { result: read() };
    this.#kept.set(name, reading, { start });
    try {
      reading.value = await reading.result;
      return reading.value;
    } finally {
      if (!reading.value && this.#kept.peek(name) === reading) this.#kept.delete(name);
    }
  }

  delete(name: string): void {
    this.#kept.delete(name);
  }

  /** What is being read may be meant, too. */
  deleteWhere(isMeant: (value: T) => boolean): void {
    for (const [name, { value }] of this.#kept.entries()) {
      if (!value || isMeant(value)) this.#kept.delete(name);
    }
  }
}

interface Kept<T> {
  readonly version: number;
  readonly value: T;
}

interface Stamp {
  readonly id: number;
  readonly version: number;
}

/** Rendered texts are limited by their length, as that differs widely. */
export const TEXTS = { maxSize: 16 * 1024 * 1024, sizeCalculation: ({ value }: Kept<string>) => value.length };

/**
 * For what is costly to put together and has a number that every change raises in its own transaction: the version of a row, or
 * the position of an account's event log. The number is read from the database every time, so what is kept can be rare, but
 * never old, whichever node made the change. Where time alone makes a value old, too, its user gives it a life as well: the
 * availability of a website, or counts for explanations, whose number is the second. Who gets a value shares it and must not
 * change it.
 */
export class VersionedCache<T extends object | string> {
  readonly #kept: LRUCache<string | number, Kept<T>>;

  constructor(limits: LRUCache.Options<string | number, Kept<T>, unknown> = { max: 3000 }) {
    this.#kept = new LRUCache(limits);
  }

  get(name: string | number, version: number): T | undefined {
    const kept = this.#kept.get(name);
    return kept?.version === version ? kept.value : undefined;
  }

  /** Of this version or a later one. */
  getSince(name: string | number, version: number): T | undefined {
    const kept = this.#kept.get(name);
    return kept && kept.version >= version ? kept.value : undefined;
  }

  /** A promise serves all who ask while it is under way; one that fails is not kept. */
  set(name: string | number, version: number, value: T): T {
    const kept = { version, value };
    this.#kept.set(name, kept);
    if (value instanceof Promise) value.catch(() => this.#kept.peek(name) === kept && this.#kept.delete(name));
    return value;
  }

  /** In the order of the stamps. What is missing is loaded together; what was deleted since its stamp was read is left out. */
  async getAll<S extends Stamp>(
    stamps: readonly S[],
    nameOf: (stamp: S) => string,
    load: (missing: S[]) => Promise<readonly (S & { readonly value: T })[]>,
  ): Promise<T[]> {
    const kept = stamps.map((stamp) => this.get(nameOf(stamp), stamp.version));
    const missing = stamps.filter((_, index) => kept[index] === undefined);
    if (missing.length === 0) return kept as T[];
    const loaded = await load(missing);
    const fresh = new Map(loaded.map((one) => [one.id, this.set(nameOf(one), one.version, one.value)]));
    return stamps.map(({ id }, index) => kept[index] ?? fresh.get(id)).filter((value) => value !== undefined);
  }
}
