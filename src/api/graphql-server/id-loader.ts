/** A value, or its promise while it is still being loaded. */
export type Loadable<T> = T | Promise<T>;

/** Without a promise for a value that is there: a page of rows has hundreds of them. */
export function mapLoaded<T, R>(value: Loadable<T>, map: (value: T) => R): Loadable<R> {
  return value instanceof Promise ? value.then(map) : map(value);
}

export interface IdLoaderOptions<T> {
  /** Rows of unknown identifiers are missing. */
  read(ids: readonly number[]): Promise<ReadonlyMap<number, T>>;
  readonly maxBatchSize: number;
  /** Calls the function when a batch is complete. */
  scheduleRead(read: () => void): void;
}

interface Batch {
  readonly ids: number[];
  readonly done: Promise<void>;
}

/**
 * Loads the rows of one request by identifier. All that are requested before a read share it. A row that was loaded is
 * returned at once: a list preloads what its rows refer to, so that its fields need no promises.
 */
export class IdLoader<T> {
  readonly #options: IdLoaderOptions<T>;
  readonly #rows = new Map<number, T | undefined>();
  /** The reads of requested rows; failed reads stay, so that each field that needs the row reports the failure. */
  readonly #reads = new Map<number, Promise<void>>();
  #openBatch: Batch | undefined;

  constructor(options: IdLoaderOptions<T>) {
    this.#options = options;
  }

  /** Undefined for an unknown identifier. */
  load(id: number): Loadable<T | undefined> {
    if (this.#rows.has(id)) return this.#rows.get(id);
    return this.#request(id).then(() => this.#rows.get(id));
  }

  /** In the order of the identifiers; omits unknown ones. */
  loadAll(ids: readonly number[]): Loadable<T[]> {
    const reads = this.#requestMissing(ids);
    return reads.size === 0 ? this.#collect(ids) : Promise.all(reads).then(() => this.#collect(ids));
  }

  /** Never fails: a failed read is reported by the fields that need the rows. */
  async preload(ids: readonly number[]): Promise<void> {
    await Promise.allSettled(this.#requestMissing(ids));
  }

  /** Adds a row that was read otherwise. */
  prime(id: number, row: T): void {
    if (!this.#rows.has(id) && !this.#reads.has(id)) this.#rows.set(id, row);
  }

  /** Lets the next `load` read the row again. */
  clear(id: number): this {
    this.#rows.delete(id);
    this.#reads.delete(id);
    return this;
  }

  #requestMissing(ids: readonly number[]): ReadonlySet<Promise<void>> {
    const reads = new Set<Promise<void>>();
    for (const id of ids) if (!this.#rows.has(id)) reads.add(this.#request(id));
    return reads;
  }

  #collect(ids: readonly number[]): T[] {
    return ids.map((id) => this.#rows.get(id)).filter((row) => row !== undefined);
  }

  #request(id: number): Promise<void> {
    const running = this.#reads.get(id);
    if (running) return running;
    const batch = this.#openBatch ?? this.#startBatch();
    batch.ids.push(id);
    this.#reads.set(id, batch.done);
    if (batch.ids.length === this.#options.maxBatchSize) this.#openBatch = undefined;
    return batch.done;
  }

  #startBatch(): Batch {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const batch: Batch = { ids: [], done: promise };
    this.#openBatch = batch;
    this.#options.scheduleRead(() => {
      if (this.#openBatch === batch) this.#openBatch = undefined;
      this.#readRows(batch.ids).then(resolve, reject);
    });
    return batch;
  }

  async #readRows(ids: readonly number[]): Promise<void> {
    const rows = await this.#options.read(ids);
    for (const id of ids) this.#rows.set(id, rows.get(id));
  }
}
