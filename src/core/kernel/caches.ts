import { LRUCache } from 'lru-cache';

/**
 * The two caches for database contents. Values derived from text alone (a parsed document, a prepared statement) never
 * become stale: a plain LRUCache is enough for them.
 */

/**
 * Limits the number of entries of an LRUCache, which then takes memory as it fills. With its own `max` it allocates the
 * room for all entries when it is created, so that the caches of a service slow down every start.
 */
export function upToEntries(count: number): { maxSize: number; sizeCalculation: () => number } {
  return { maxSize: count, sizeCalculation: () => 1 };
}

/**
 * Counted from the start of the read. Every node notices a change within a second: after this time plus the interval at
 * which open connections are checked again.
 */
const CACHE_TTL_MS = 500;

interface PendingRead<T> {
  readonly result: Promise<T | undefined>;
  value?: T | undefined;
}

/**
 * Caches credentials and settings, which every request needs and which may be briefly stale. Concurrent requests share
 * one read.
 */
export class ShortLivedCache<T extends object> {
  readonly #entries: LRUCache<string, PendingRead<T>>;

  constructor(max = 10_000) {
    this.#entries = new LRUCache({ ...upToEntries(max), ttl: CACHE_TTL_MS });
  }

  /** Returns the cached value without reading. */
  peek(key: string): T | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Returns the last value that was read, even if it is outdated. */
  peekOutdated(key: string): T | undefined {
    return this.#entries.peek(key, { allowStale: true })?.value;
  }

  /** Does not cache a missing value: it may have been created since. */
  async get(key: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const entry = this.#entries.get(key);
    const cached = entry && (entry.value ?? (await entry.result));
    if (cached) return cached;
    const start = performance.now(); // the read may miss a change that is made while it runs
    const pending: PendingRead<T> = { result: read() };
    this.#entries.set(key, pending, { start });
    try {
      pending.value = await pending.result;
      return pending.value;
    } finally {
      if (!pending.value && this.#entries.peek(key) === pending) this.#entries.delete(key);
    }
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  /** Also discards pending reads, because their values may match. */
  deleteWhere(matches: (value: T) => boolean): void {
    for (const [key, { value }] of this.#entries.entries()) {
      if (!value || matches(value)) this.#entries.delete(key);
    }
  }
}

interface VersionedEntry<T> {
  readonly version: number;
  readonly value: T;
}

interface Stamp {
  readonly id: number;
  readonly version: number;
}

/** Rendered texts differ widely in length, so the cache is limited by total length. */
export const RENDERED_TEXT_LIMITS = {
  maxSize: 16 * 1024 * 1024,
  sizeCalculation: ({ value }: VersionedEntry<string>) => value.length,
};

/**
 * Caches values that are expensive to build and have a number that every change increments in its own transaction: the
 * version of a row, or the position of an account's event log. Callers read that number from the database every time,
 * so a cached value is never stale, whichever node made the change. Values that also become stale with time need a TTL
 * in addition, for example the availability of a website. Values are shared: callers must not modify them.
 */
export class VersionedCache<T extends object | string> {
  readonly #entries: LRUCache<string | number, VersionedEntry<T>>;

  constructor(limits: LRUCache.Options<string | number, VersionedEntry<T>, unknown> = upToEntries(3000)) {
    this.#entries = new LRUCache(limits);
  }

  get(key: string | number, version: number): T | undefined {
    const entry = this.#entries.get(key);
    return entry?.version === version ? entry.value : undefined;
  }

  /** Returns a value of this version or a later one. */
  getSince(key: string | number, version: number): T | undefined {
    const entry = this.#entries.get(key);
    return entry && entry.version >= version ? entry.value : undefined;
  }

  /** A pending promise is shared by all callers; one that rejects is removed. */
  set(key: string | number, version: number, value: T): T {
    const entry = { version, value };
    this.#entries.set(key, entry);
    if (value instanceof Promise) value.catch(() => this.#entries.peek(key) === entry && this.#entries.delete(key));
    return value;
  }

  /**
   * Returns values in the order of the stamps. Loads all missing ones together; omits rows deleted since their stamps
   * were read.
   */
  async getAll<S extends Stamp>(
    stamps: readonly S[],
    toKey: (stamp: S) => string,
    load: (missing: S[]) => Promise<readonly (S & { readonly value: T })[]>,
  ): Promise<T[]> {
    const cached = stamps.map((stamp) => this.get(toKey(stamp), stamp.version));
    const missing = stamps.filter((_, index) => cached[index] === undefined);
    if (missing.length === 0) return cached as T[];
    const loaded = await load(missing);
    const loadedById = new Map(loaded.map((row) => [row.id, this.set(toKey(row), row.version, row.value)]));
    return stamps.map(({ id }, index) => cached[index] ?? loadedById.get(id)).filter((value) => value !== undefined);
  }
}
