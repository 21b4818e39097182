export const LANES = {
  /** Sends on their way at the same time, of all hooks. */
  total: 50,
  perHook: 8,
  /** Of hooks that fail or are slow, together and each: they never take what the others need. */
  slowTotal: 20,
  perSlowHook: 1,
} as const;

const SLOW_MS = 2000;

/** How many sends may be on their way, so that one receiver never holds up the hooks of others. */
export class Lanes {
  readonly #taken = new Map<string, number>();
  readonly #slow = new Set<string>();
  readonly #sizes: typeof LANES;

  constructor(sizes: typeof LANES = LANES) {
    this.#sizes = sizes;
  }

  /** Takes all lanes that a hook may have now; answers with how many these are. */
  take(hook: string, isFailing: boolean): number {
    const isSlow = isFailing || this.#slow.has(hook);
    if (isSlow) this.#slow.add(hook);
    const taken = this.#taken.get(hook) ?? 0;
    const free = [
      this.#sizes.total - this.#count(() => true),
      (isSlow ? this.#sizes.perSlowHook : this.#sizes.perHook) - taken,
      ...(isSlow ? [this.#sizes.slowTotal - this.#count((other) => this.#slow.has(other))] : []),
    ];
    const got = Math.max(0, Math.min(...free));
    if (got > 0) this.#taken.set(hook, taken + got);
    return got;
  }

  /** Gives back lanes that were taken for nothing. */
  giveBack(hook: string, number: number): void {
    const left = (this.#taken.get(hook) ?? 0) - number;
    if (left > 0) this.#taken.set(hook, left);
    else this.#taken.delete(hook);
  }

  /** Gives back one that was used; how long it took decides how many the hook gets. */
  leave(hook: string, milliseconds: number): void {
    this.giveBack(hook, 1);
    if (milliseconds > SLOW_MS) this.#slow.add(hook);
    else this.#slow.delete(hook);
  }

  #count(isMeant: (hook: string) => boolean): number {
    let count = 0;
    for (const [hook, taken] of this.#taken) if (isMeant(hook)) count += taken;
    return count;
  }
}
