import DataLoader from 'dataloader';
import { IdLoader, type Loadable, mapLoaded } from './id-loader.ts';
import type { OperationTurns } from './turns.ts';

/** A statement on the embedded database cannot be interrupted: this many rows take a few milliseconds. */
const MAX_ROWS_PER_READ = 400;

export type LoaderFactory = ReturnType<typeof createLoaderFactory>;

/** Returns the functions that create the loaders of one operation. */
export function createLoaderFactory(turns: OperationTurns) {
  const batchScheduleFn = turns.scheduleLoad;

  /** `read` must return its results in the order of the identifiers. */
  function createOrderedLoader<T>(read: (ids: readonly number[]) => Promise<readonly T[]>): DataLoader<number, T> {
    return new DataLoader(read, { maxBatchSize: MAX_ROWS_PER_READ, batchScheduleFn });
  }

  /** Loads undefined for unknown identifiers. */
  function createIdLoader<T extends { readonly id: number }>(
    read: (ids: readonly number[]) => Promise<readonly T[]>,
    getId = (row: T) => row.id,
  ): IdLoader<T> {
    return new IdLoader({
      read: async (ids) => new Map((await read(ids)).map((row) => [getId(row), row])),
      maxBatchSize: MAX_ROWS_PER_READ,
      scheduleRead: turns.scheduleLoad,
    });
  }

  /** Batches keys that differ only in the owner into one read. `countRows` returns the rows per owner, at most. */
  function createOwnerLoader<Key extends { readonly ownerId: number }, T>(
    read: (key: Key, ownerIds: readonly number[]) => Promise<readonly T[]>,
    countRows: (key: Key) => number = () => 1,
  ): DataLoader<Key, T, string> {
    return createKeyLoader(async (keys) => {
      const results = new Map<Key, T>();
      for (const group of Map.groupBy(keys, (key) => JSON.stringify({ ...key, ownerId: 0 })).values()) {
        const first = group[0] as Key;
        const size = Math.max(1, Math.floor(MAX_ROWS_PER_READ / countRows(first)));
        for (let start = 0; start < group.length; start += size) {
          const part = group.slice(start, start + size);
          await turns.pass(undefined);
          const values = await read(
            first,
            part.map((key) => key.ownerId),
          );
          for (const [index, key] of part.entries()) results.set(key, values[index] as T);
        }
      }
      return keys.map((key) => results.get(key) as T);
    });
  }

  /** `read` must return its results in the order of the keys. */
  function createKeyLoader<Key, T>(
    read: (keys: readonly Key[]) => Promise<readonly T[]>,
    maxBatchSize = Number.POSITIVE_INFINITY,
  ): DataLoader<Key, T, string> {
    return new DataLoader(read, { maxBatchSize, batchScheduleFn, cacheKeyFn: (key) => JSON.stringify(key) });
  }

  return { createOrderedLoader, createIdLoader, createOwnerLoader, createKeyLoader };
}

/** Returns a function that reads a value on its first call. */
export function readOnce<T>(read: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | undefined;
  return () => {
    value ??= read();
    return value;
  };
}

/** Returns null for a missing or unknown identifier. */
export function loadOrNull<T>(
  loader: { load(id: number): Loadable<T | undefined> },
  id: number | null | undefined,
): Loadable<T | null> {
  return id === null || id === undefined ? null : mapLoaded(loader.load(id), (row) => row ?? null);
}

/**
 * Defines an object whose properties are created on first use: a request has many loaders, and uses few of them.
 * Returns a function that creates the object for a scope.
 */
export function createOnUse<Scope>() {
  return <T extends object>(creators: { readonly [Name in keyof T]: (scope: Scope) => T[Name] }) => {
    class CreatedOnUse {
      readonly scope: Scope;
      readonly created: Partial<T> = {};

      constructor(scope: Scope) {
        this.scope = scope;
      }
    }
    for (const name of Object.keys(creators) as (keyof T)[]) {
      Object.defineProperty(CreatedOnUse.prototype, name, {
        get(this: CreatedOnUse) {
          this.created[name] ??= creators[name](this.scope);
          return this.created[name];
        },
      });
    }
    return (scope: Scope) => new CreatedOnUse(scope) as unknown as T;
  };
}
