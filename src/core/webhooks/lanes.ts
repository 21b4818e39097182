export const LANE_LIMITS = {
  /** Concurrent sends of all webhooks. */
  total: 50,
  perWebhook: 8,
  /** Concurrent sends of failing or slow webhooks, so that they cannot starve the others. */
  slowTotal: 20,
  perSlowWebhook: 1,
} as const;

const SLOW_THRESHOLD_MS = 2000;

/** Limits concurrent sends, so that a slow receiver does not delay other webhooks. */
export class Lanes {
  readonly #inUse = new Map<string, number>();
  readonly #slow = new Set<string>();
  readonly #limits: typeof LANE_LIMITS;

  constructor(limits: typeof LANE_LIMITS = LANE_LIMITS) {
    this.#limits = limits;
  }

  /** Acquires all lanes that a webhook can have now and returns their number. */
  acquire(webhook: string, isFailing: boolean): number {
    const isSlow = isFailing || this.#slow.has(webhook);
    if (isSlow) this.#slow.add(webhook);
    const inUse = this.#inUse.get(webhook) ?? 0;
    const free = [
      this.#limits.total - this.#count(() => true),
      (isSlow ? this.#limits.perSlowWebhook : this.#limits.perWebhook) - inUse,
      ...(isSlow ? [this.#limits.slowTotal - this.#count((other) => this.#slow.has(other))] : []),
    ];
    const granted = Math.max(0, Math.min(...free));
    if (granted > 0) this.#inUse.set(webhook, inUse + granted);
    return granted;
  }

  /** Releases unused lanes. */
  release(webhook: string, count: number): void {
    const left = (this.#inUse.get(webhook) ?? 0) - count;
    if (left > 0) this.#inUse.set(webhook, left);
    else this.#inUse.delete(webhook);
  }

  /** Releases a used lane; the duration decides whether the webhook counts as slow. */
  finish(webhook: string, milliseconds: number): void {
    this.release(webhook, 1);
    if (milliseconds > SLOW_THRESHOLD_MS) this.#slow.add(webhook);
    else this.#slow.delete(webhook);
  }

  #count(matches: (webhook: string) => boolean): number {
    let count = 0;
    for (const [webhook, inUse] of this.#inUse) if (matches(webhook)) count += inUse;
    return count;
  }
}
