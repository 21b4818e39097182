import { LRUCache } from 'lru-cache';
import { upToEntries } from '../kernel/caches.ts';
import type { DueWebhook } from './claims.ts';
import { LastTurns, takeTurns } from './turns.ts';

/**
 * `new`: has not answered this node yet. `answering`: its last answer came within a second. `slow`: it took longer.
 * `failing`: its last attempt failed.
 */
type ReceiverState = 'new' | 'answering' | 'slow' | 'failing';

interface LaneLimits {
  readonly total: number;
  readonly perAccount: number;
  /** Per host of an account: other accounts can have webhooks on the same host. */
  readonly perHost: number;
  readonly perWebhook: number;
}

/** Concurrent sends of a node. Each state has its own lanes, so receivers that answer never wait for those that don't. */
export const LANE_LIMITS: Readonly<Record<ReceiverState, LaneLimits>> = {
  new: { total: 20, perAccount: 10, perHost: 5, perWebhook: 1 },
  answering: { total: 40, perAccount: 20, perHost: 16, perWebhook: 8 },
  slow: { total: 100, perAccount: 20, perHost: 16, perWebhook: 8 },
  failing: { total: 100, perAccount: 10, perHost: 5, perWebhook: 1 },
};
/** Open requests in all states, including those that have stopped counting for their state. */
export const OPEN_LIMITS = { total: 500, perAccount: 100 } as const;

export const SLOW_THRESHOLD_MS = 1000;

/** Bounds the memory for webhooks that were deleted. */
const MAX_REMEMBERED = 10_000;

/** A permission to send one delivery to a webhook. */
export interface Lane {
  readonly webhook: DueWebhook;
  startedAt: number;
  /** What it counts for while it is in use. */
  readonly scopes: readonly Scope[];
}

interface Scope {
  readonly key: string;
  readonly limit: number;
  /** Whether a lane stops counting when its receiver has not answered within a second. */
  readonly isReleasedWhenSlow: boolean;
}

interface Candidate {
  readonly webhook: DueWebhook;
  readonly accountKey: string;
  readonly hostKey: string;
  readonly turnKeys: readonly string[];
  readonly scopes: readonly Scope[];
}

/**
 * Limits concurrent sends, so that a slow receiver delays only itself. Accounts take turns, and within an account its
 * hosts and webhooks. A receiver is known to be slow only after it was slow: therefore a lane of a `new` or `answering`
 * receiver counts for its state, account and host only during the first second.
 */
export class Lanes {
  readonly #inUse = new Set<Lane>();
  readonly #states = new LRUCache<string, 'answering' | 'slow'>(upToEntries(MAX_REMEMBERED));
  readonly #lastTurns = new LastTurns();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Allocates all lanes that webhooks can have now. */
  allocate(webhooks: readonly DueWebhook[]): Lane[] {
    const counts = this.#countInUse();
    const ordered = this.#orderByTurn(webhooks, counts);
    const lanes: Lane[] = [];
    let countBefore: number;
    do {
      countBefore = lanes.length;
      for (const candidate of ordered) {
        if (!hasRoom(candidate, counts)) continue;
        const { webhook, turnKeys, scopes } = candidate;
        for (const { key } of scopes) increment(counts, key);
        this.#lastTurns.record(turnKeys);
        lanes.push({ webhook, scopes, startedAt: this.#now() });
      }
    } while (lanes.length > countBefore);
    for (const lane of lanes) this.#inUse.add(lane);
    return lanes;
  }

  /** The request is sent now. */
  start(lane: Lane): void {
    lane.startedAt = this.#now();
  }

  /** Remembers how long the receiver took. */
  recordAnswer({ webhook, startedAt }: Lane): void {
    const isSlow = this.#now() - startedAt > SLOW_THRESHOLD_MS;
    this.#states.set(toWebhookKey(webhook), isSlow ? 'slow' : 'answering');
  }

  release(lane: Lane): void {
    this.#inUse.delete(lane);
  }

  #countInUse(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { startedAt, scopes } of this.#inUse) {
      const isWaiting = this.#now() - startedAt > SLOW_THRESHOLD_MS;
      for (const { key, isReleasedWhenSlow } of scopes) if (!(isWaiting && isReleasedWhenSlow)) increment(counts, key);
    }
    return counts;
  }

  #orderByTurn(webhooks: readonly DueWebhook[], counts: ReadonlyMap<string, number>): Candidate[] {
    const candidates = webhooks.map((webhook) => this.#toCandidate(webhook)).filter((each) => hasRoom(each, counts));
    const longestWaitFirst = this.#lastTurns.sortByWait(candidates, ({ turnKeys }) => turnKeys);
    const byHost = takeTurns(longestWaitFirst, ({ hostKey }) => hostKey, counts);
    return takeTurns(byHost, ({ accountKey }) => accountKey, counts);
  }

  #toCandidate(webhook: DueWebhook): Candidate {
    const webhookKey = toWebhookKey(webhook);
    const state = webhook.isFailing ? 'failing' : (this.#states.get(webhookKey) ?? 'new');
    const accountKey = `${state} ${webhook.accountId}`;
    const hostKey = `${accountKey} ${webhook.host}`;
    const limits = LANE_LIMITS[state];
    const isReleasedWhenSlow = state === 'new' || state === 'answering';
    const scopes = [
      { key: state, limit: limits.total, isReleasedWhenSlow },
      { key: accountKey, limit: limits.perAccount, isReleasedWhenSlow },
      { key: hostKey, limit: limits.perHost, isReleasedWhenSlow },
      { key: webhookKey, limit: limits.perWebhook, isReleasedWhenSlow: false },
      { key: 'open', limit: OPEN_LIMITS.total, isReleasedWhenSlow: false },
      { key: `open ${webhook.accountId}`, limit: OPEN_LIMITS.perAccount, isReleasedWhenSlow: false },
    ];
    return { webhook, accountKey, hostKey, turnKeys: [accountKey, hostKey, webhookKey], scopes };
  }
}

function toWebhookKey({ accountId, webhookId }: DueWebhook): string {
  return `webhook ${accountId} ${webhookId}`;
}

function hasRoom({ scopes }: Candidate, counts: ReadonlyMap<string, number>): boolean {
  return scopes.every(({ key, limit }) => (counts.get(key) ?? 0) < limit);
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
