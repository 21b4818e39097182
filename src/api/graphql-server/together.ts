/** Keys that differ only in the identifier are one question; aliases with other arguments make another. */
export async function together<Key extends { ownerId: number }, T>(
  keys: readonly Key[],
  ask: (example: Key, ids: readonly number[]) => Promise<readonly T[]>,
): Promise<T[]> {
  const answers = new Map<Key, T>();
  for (const same of Map.groupBy(keys, (key) => JSON.stringify({ ...key, ownerId: 0 })).values()) {
    const found = await ask(
      same[0] as Key,
      same.map((key) => key.ownerId),
    );
    for (const [index, key] of same.entries()) answers.set(key, found[index] as T);
  }
  return keys.map((key) => answers.get(key) as T);
}
