import { LRUCache } from 'lru-cache';
import { upToEntries } from '../kernel/caches.ts';

/** Bounds the memory for accounts and webhooks that were deleted. */
const MAX_KEYS = 30_000;

/** Remembers when accounts, hosts and webhooks last had their turn. */
export class LastTurns {
  readonly #turns = new LRUCache<string, number>(upToEntries(MAX_KEYS));
  #count = 0;

  record(keys: readonly string[]): void {
    this.#count += 1;
    for (const key of keys) this.#turns.set(key, this.#count);
  }

  /** Orders items by how long they have waited: by their first key, then by the next one. */
  sortByWait<T>(items: readonly T[], getKeys: (item: T) => readonly string[]): T[] {
    const waiting = items.map((item) => ({ item, turns: getKeys(item).map((key) => this.#turns.get(key) ?? 0) }));
    return waiting.sort((a, b) => compare(a.turns, b.turns)).map(({ item }) => item);
  }
}

/**
 * Orders items so that groups take turns. A group that already has something is later by as many turns. Within a turn
 * and within a group the order stays.
 */
export function takeTurns<T>(
  items: readonly T[],
  getGroup: (item: T) => string,
  alreadyTaken: ReadonlyMap<string, number> = new Map(),
): T[] {
  const taken = new Map<string, number>();
  const turns = items.map((item) => {
    const group = getGroup(item);
    const turn = taken.get(group) ?? alreadyTaken.get(group) ?? 0;
    taken.set(group, turn + 1);
    return { item, turn };
  });
  return turns.sort((a, b) => a.turn - b.turn).map(({ item }) => item);
}

function compare(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((turn, position) => turn !== b[position]);
  return index === -1 ? 0 : (a[index] as number) - (b[index] as number);
}
