/**
 * Items that wait for their turn, by source. Sources take turns, and so do the sources within a source: one with a
 * thousand items delays the others no more than one with a single item.
 */
export class FairQueue<T> {
  #size = 0;
  readonly #items: T[] = [];
  /** In the order of their next turn. */
  readonly #sources = new Map<string, FairQueue<T>>();

  get size(): number {
    return this.#size;
  }

  /** The path names a source, the source within it, and so on. */
  add([name, ...path]: readonly string[], item: T): void {
    this.#size += 1;
    if (name === undefined) {
      this.#items.push(item);
      return;
    }
    const source = this.#sources.get(name) ?? new FairQueue<T>();
    this.#sources.set(name, source);
    source.add(path, item);
  }

  /** Removes the item whose turn it is. */
  take(): T | undefined {
    if (this.#size === 0) return undefined;
    this.#size -= 1;
    const [next] = this.#sources;
    if (!next) return this.#items.shift();
    const [name, source] = next;
    const item = source.take();
    this.#sources.delete(name);
    if (source.size > 0) this.#sources.set(name, source); // its next turn comes after the others
    return item;
  }

  /**
   * Removes an item to make room: the newest item of the source with the most items. Among equal sources it is the one
   * whose turn is next, which has waited longest, so that a new source always gets a place.
   */
  drop(): T | undefined {
    if (this.#size === 0) return undefined;
    this.#size -= 1;
    const [first, ...others] = this.#sources;
    if (!first) return this.#items.pop();
    const [name, source] = others.reduce(
      (longest, entry) => (entry[1].size > longest[1].size ? entry : longest),
      first,
    );
    const item = source.drop();
    if (source.size === 0) this.#sources.delete(name);
    return item;
  }
}
