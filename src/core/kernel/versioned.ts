import { LRUCache } from 'lru-cache';

const MOST = 3000;

/**
 * Things that were read and put together once, by name and version. A version is never used for two contents and is read from
 * the database every time, so what is kept can be rare, but never old. Whoever gets one shares it and must not change it.
 */
export class Versioned<T extends object> {
  readonly #kept = new LRUCache<string, { version: number; value: T }>({ max: MOST });

  get(name: string, version: number): T | undefined {
    const kept = this.#kept.get(name);
    return kept?.version === version ? kept.value : undefined;
  }

  set(name: string, version: number, value: T): T {
    this.#kept.set(name, { version, value });
    return value;
  }
}
