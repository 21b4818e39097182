import DataLoader from 'dataloader';

/** A statement takes a bounded number of identifiers. */
const AT_ONCE = { maxBatchSize: 10_000 };

/** What is read by identifiers, and comes in their order. */
export function loadInOrder<T>(read: (ids: readonly number[]) => Promise<readonly T[]>): DataLoader<number, T> {
  return new DataLoader(read, AT_ONCE);
}

/** What is read by identifiers and has them; undefined for those that name nothing. */
export function loadById<T extends { readonly id: number }>(
  read: (ids: readonly number[]) => Promise<readonly T[]>,
  idOf = (row: T) => row.id,
): DataLoader<number, T | undefined> {
  return loadInOrder(async (ids) => {
    const found = new Map((await read(ids)).map((row) => [idOf(row), row]));
    return ids.map((id) => found.get(id));
  });
}

/** Questions about one of many each: those that differ only in the owner are one read; aliases with other arguments, another. */
export function loadByOwner<Key extends { readonly ownerId: number }, T>(
  read: (example: Key, ownerIds: readonly number[]) => Promise<readonly T[]>,
): DataLoader<Key, T, string> {
  return loadByKey(async (keys) => {
    const answers = new Map<Key, T>();
    for (const same of Map.groupBy(keys, (key) => JSON.stringify({ ...key, ownerId: 0 })).values()) {
      const found = await read(
        same[0] as Key,
        same.map((key) => key.ownerId),
      );
      for (const [index, key] of same.entries()) answers.set(key, found[index] as T);
    }
    return keys.map((key) => answers.get(key) as T);
  });
}

/** Questions of any form, answered in their order. */
export function loadByKey<Key, T>(
  read: (keys: readonly Key[]) => Promise<readonly T[]>,
  maxBatchSize = Number.POSITIVE_INFINITY,
): DataLoader<Key, T, string> {
  return new DataLoader(read, { maxBatchSize, cacheKeyFn: (key) => JSON.stringify(key) });
}

/** What a loader finds; null where there is no identifier, or where it names nothing. */
export async function loadOrNull<T>(
  loader: { load(id: number): Promise<T | undefined> },
  id: number | null | undefined,
): Promise<T | null> {
  return id === null || id === undefined ? null : ((await loader.load(id)) ?? null);
}
