import DataLoader from 'dataloader';

/** A statement accepts a limited number of identifiers. */
const BATCH_OPTIONS = { maxBatchSize: 10_000 };

/** `read` must return its results in the order of the identifiers. */
export function createOrderedLoader<T>(read: (ids: readonly number[]) => Promise<readonly T[]>): DataLoader<number, T> {
  return new DataLoader(read, BATCH_OPTIONS);
}

/** Loads undefined for unknown identifiers. */
export function createIdLoader<T extends { readonly id: number }>(
  read: (ids: readonly number[]) => Promise<readonly T[]>,
  getId = (row: T) => row.id,
): DataLoader<number, T | undefined> {
  return createOrderedLoader(async (ids) => {
    const rowsById = new Map((await read(ids)).map((row) => [getId(row), row]));
    return ids.map((id) => rowsById.get(id));
  });
}

/** Batches keys that differ only in the owner into one read. */
export function createOwnerLoader<Key extends { readonly ownerId: number }, T>(
  read: (key: Key, ownerIds: readonly number[]) => Promise<readonly T[]>,
): DataLoader<Key, T, string> {
  return createKeyLoader(async (keys) => {
    const results = new Map<Key, T>();
    for (const group of Map.groupBy(keys, (key) => JSON.stringify({ ...key, ownerId: 0 })).values()) {
      const values = await read(
        group[0] as Key,
        group.map((key) => key.ownerId),
      );
      for (const [index, key] of group.entries()) results.set(key, values[index] as T);
    }
    return keys.map((key) => results.get(key) as T);
  });
}

/** `read` must return its results in the order of the keys. */
export function createKeyLoader<Key, T>(
  read: (keys: readonly Key[]) => Promise<readonly T[]>,
  maxBatchSize = Number.POSITIVE_INFINITY,
): DataLoader<Key, T, string> {
  return new DataLoader(read, { maxBatchSize, cacheKeyFn: (key) => JSON.stringify(key) });
}

/** Returns null for a missing or unknown identifier. */
export async function loadOrNull<T>(
  loader: { load(id: number): Promise<T | undefined> },
  id: number | null | undefined,
): Promise<T | null> {
  return id === null || id === undefined ? null : ((await loader.load(id)) ?? null);
}
