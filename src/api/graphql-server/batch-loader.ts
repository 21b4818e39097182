import type { MaybePromise } from '@pothos/core';

/** Keys that are read together. */
interface Batch<Key, Value> {
  readonly keys: Key[];
  readonly loaded: Promise<void>;
  /** Undefined until they are read. */
  values: readonly Value[] | undefined;
}

interface Entry<Key, Value> {
  readonly batch: Batch<Key, Value>;
  readonly index: number;
}

export interface BatchOptions<Key> {
  readonly maxSize: number;
  /** Calls the function when all fields that can run now have asked for their values. */
  schedule(load: () => void): void;
  /** Defaults to the key itself. */
  identify?(key: Key): unknown;
}

/**
 * Loads the values of one operation: keys of many fields become one read, and each is read once. A value that is at hand
 * is returned without a promise, and the fields that wait share the promise of their batch: in a page with related
 * objects, promises cost more than the reads.
 */
export class BatchLoader<Key, Value> {
  readonly #read: (keys: readonly Key[]) => Promise<readonly Value[]>;
  readonly #options: BatchOptions<Key>;
  /** Created at the first use: an operation uses few of its loaders. */
  #entries: Map<unknown, Entry<Key, Value>> | undefined;
  #batch: Batch<Key, Value> | undefined;

  /** `read` must return its values in the order of the keys. */
  constructor(read: (keys: readonly Key[]) => Promise<readonly Value[]>, options: BatchOptions<Key>) {
    this.#read = read;
    this.#options = options;
  }

  load(key: Key): MaybePromise<Value> {
    const { batch, index } = this.#enter(key);
    return batch.values ? (batch.values[index] as Value) : batch.loaded.then(() => batch.values?.[index] as Value);
  }

  loadMany(keys: readonly Key[]): MaybePromise<Value[]> {
    const entries = keys.map((key) => this.#enter(key));
    const toValues = () => entries.map(({ batch, index }) => batch.values?.[index] as Value);
    const waiting = new Set<Promise<void>>();
    for (const { batch } of entries) if (!batch.values) waiting.add(batch.loaded);
    if (waiting.size === 0) return toValues();
    const [first] = waiting;
    return (waiting.size === 1 ? (first as Promise<void>) : Promise.all(waiting)).then(toValues);
  }

  /** Stores a value that was loaded in another way. */
  prime(key: Key, value: Value): void {
    this.#entries ??= new Map();
    const id = this.#identify(key);
    if (this.#entries.has(id)) return;
    this.#entries.set(id, { batch: { keys: [key], loaded: Promise.resolve(), values: [value] }, index: 0 });
  }

  /** Forgets a value that may have changed. */
  clear(key: Key): this {
    this.#entries?.delete(this.#identify(key));
    return this;
  }

  #identify(key: Key): unknown {
    return this.#options.identify ? this.#options.identify(key) : key;
  }

  #enter(key: Key): Entry<Key, Value> {
    this.#entries ??= new Map();
    const id = this.#identify(key);
    const known = this.#entries.get(id);
    if (known) return known;
    if (!this.#batch || this.#batch.keys.length >= this.#options.maxSize) this.#batch = this.#startBatch();
    const entry = { batch: this.#batch, index: this.#batch.keys.push(key) - 1 };
    this.#entries.set(id, entry);
    return entry;
  }

  #startBatch(): Batch<Key, Value> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const batch: Batch<Key, Value> = { keys: [], loaded: promise, values: undefined };
    const load = async () => {
      if (this.#batch === batch) this.#batch = undefined;
      batch.values = await this.#read(batch.keys);
    };
    this.#options.schedule(() => resolve(load()));
    return batch;
  }
}

/** Converts a loaded value, at once if it is at hand. */
export function convertLoaded<Value, Result>(
  value: MaybePromise<Value>,
  convert: (value: Value) => Result,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(convert) : convert(value as Value);
}
