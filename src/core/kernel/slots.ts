/** Limits how much of something runs at once: in all, and for each key, so that one client cannot take every place. */
export class Slots {
  readonly #limits: { readonly total: number; readonly perKey: number };
  readonly #taken = new Map<string, number>();
  #total = 0;

  constructor(limits: { readonly total: number; readonly perKey: number }) {
    this.#limits = limits;
  }

  get taken(): number {
    return this.#total;
  }

  /** Returns a function that gives the place back, which may be called twice; or which of the limits is reached. */
  take(key: string): (() => void) | 'total' | 'key' {
    const taken = this.#taken.get(key) ?? 0;
    if (taken >= this.#limits.perKey) return 'key';
    if (this.#total >= this.#limits.total) return 'total';
    this.#taken.set(key, taken + 1);
    this.#total += 1;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#total -= 1;
      const left = (this.#taken.get(key) ?? 1) - 1;
      if (left === 0) this.#taken.delete(key);
      else this.#taken.set(key, left);
    };
  }
}
