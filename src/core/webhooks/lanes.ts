export const LANE_LIMITS = {
  /** Concurrent sends of all webhooks. */
  total: 50,
  perHook: 8,
  /** Of failing or slow webhooks, so that they cannot starve the others. */
  slowTotal: 20,
  perSlowHook: 1,
} as const;

const SLOW_THRESHOLD_MS = 2000;

/** Limits concurrent sends, so that one receiver never delays the webhooks of others. */
export class Lanes {
  readonly #inUse = new Map<string, number>();
  readonly #slow = new Set<string>();
  readonly #limits: typeof LANE_LIMITS;

  constructor(limits: typeof LANE_LIMITS = LANE_LIMITS) {
    this.#limits = limits;
  }

  /** Acquires all lanes that a webhook can have now and returns their number. */
  acquire(hook: string, isFailing: boolean): number {
    const isSlow = isFailing || this.#slow.has(hook);
    if (isSlow) this.#slow.add(hook);
    const inUse = this.#inUse.get(hook) ?? 0;
    const free = [
      this.#limits.total - this.#count(() => true),
      (isSlow ? this.#limits.perSlowHook : this.#limits.perHook) - inUse,
      ...(isSlow ? [this.#limits.slowTotal - this.#count((other) => this.#slow.has(other))] : []),
    ];
    const granted = Math.max(0, Math.min(...free));
    if (granted > 0) this.#inUse.set(hook, inUse + granted);
    return granted;
  }

  /** Releases unused lanes. */
  release(hook: string, count: number): void {
    const left = (this.#inUse.get(hook) ?? 0) - count;
    if (left > 0) this.#inUse.set(hook, left);
    else this.#inUse.delete(hook);
  }

  /** Releases a used lane; the duration decides whether the webhook counts as slow. */
  finish(hook: string, milliseconds: number): void {
    this.release(hook, 1);
    if (milliseconds > SLOW_THRESHOLD_MS) this.#slow.add(hook);
    else this.#slow.delete(hook);
  }

  #count(matches: (hook: string) => boolean): number {
    let count = 0;
    for (const [hook, inUse] of this.#inUse) if (matches(hook)) count += inUse;
    return count;
  }
}
