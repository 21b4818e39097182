/** Counts the open connections of this node by key. */
export class ConnectionCounts {
  readonly #counts = new Map<string, number>();

  /** Returns a function to call once when the connection is closed; undefined if the limit is reached. 0: no limit. */
  enter(key: string, limit: number): (() => void) | undefined {
    const count = this.#counts.get(key) ?? 0;
    if (limit > 0 && count >= limit) return undefined;
    this.#counts.set(key, count + 1);
    return () => {
      const rest = (this.#counts.get(key) ?? 1) - 1;
      if (rest > 0) this.#counts.set(key, rest);
      else this.#counts.delete(key);
    };
  }
}
