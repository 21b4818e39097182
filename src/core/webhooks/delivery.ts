import type { Actor, Changes } from '../../storage/database.ts';

export const DELIVERY_STATES = ['pending', 'delivered', 'dead'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** One event for one webhook, and its delivery status. */
export interface Delivery {
  readonly id: number;
  readonly webhookId: number;
  readonly eventId: string;
  readonly position: number;
  readonly type: string;
  readonly subjectType: string;
  readonly subjectId: number;
  readonly body: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly nextAt: number | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
}

/** Deadline for the receiver's response. */
export const RESPONSE_TIMEOUT_MS = 10_000;
/** How long a claim locks a delivery for other nodes: the response timeout plus time to record the outcome. */
export const CLAIM_TTL_MS = RESPONSE_TIMEOUT_MS + 5000;
/** Retries stop this long after the first attempt. */
export const RETRY_WINDOW_MS = 24 * 3600 * 1000;
/** A webhook is paused after `failures` in a row over at least `durationMs`, or after `deadLetters` in a row. */
export const PAUSE_THRESHOLDS = { failures: 10, durationMs: RETRY_WINDOW_MS, deadLetters: 100 } as const;

const INITIAL_BACKOFF_MS = 5000;
const MAX_BACKOFF_MS = 3600 * 1000;
const JITTER = 0.25;

/**
 * Returns the delay after the n-th failed attempt: 5 s, doubled each time, at most an hour. A jitter of ±25 % spreads
 * deliveries that failed together.
 */
export function computeBackoff(attempts: number, random: () => number): number {
  const backoff = Math.min(INITIAL_BACKOFF_MS * 2 ** Math.min(attempts - 1, 20), MAX_BACKOFF_MS);
  return Math.round(backoff * (1 - JITTER + 2 * JITTER * random()));
}

/** Result of sending: a response, an error, or aborted by shutdown. */
export type Outcome =
  | { readonly status: number; readonly retryAfter: string | undefined }
  | { readonly error: string }
  | 'abandoned';

/** Redirects are not followed: they count as `dead`. */
export function classifyOutcome(outcome: Exclude<Outcome, 'abandoned'>): 'delivered' | 'retry' | 'dead' {
  if ('error' in outcome) return 'retry';
  const { status } = outcome;
  if (status >= 200 && status < 300) return 'delivered';
  return status === 429 || status >= 500 ? 'retry' : 'dead';
}

/** Returns until when the receiver asked to wait (`Retry-After`, in seconds or as a date), at most a day from now. */
export function parseRetryAfter(outcome: Outcome, now: number): number | undefined {
  if (outcome === 'abandoned' || 'error' in outcome || !outcome.retryAfter) return undefined;
  if (outcome.status !== 429 && outcome.status !== 503) return undefined;
  const text = outcome.retryAfter.trim();
  const until = /^\d{1,9}$/.test(text) ? now + Number(text) * 1000 : Date.parse(text);
  return until > now ? Math.min(until, now + RETRY_WINDOW_MS) : undefined;
}

export interface DeliveredEvent {
  readonly accountId: number;
  readonly position: number;
  readonly type: string;
  readonly at: number;
  readonly subjectType: string;
  readonly subjectId: number;
  readonly actorType: Actor['type'];
  readonly actorId: number | null;
  readonly changes: Changes;
}

/** Returns the id of an event. It is the same in every attempt, so that a receiver can detect duplicates. */
export function toEventId({ accountId, position }: { accountId: number; position: number }): string {
  return `${accountId}-${position}`;
}

export function buildBody(event: DeliveredEvent): string {
  return JSON.stringify({
    id: toEventId(event),
    position: event.position,
    type: event.type,
    at: new Date(event.at).toISOString(),
    account: event.accountId,
    subject: { type: event.subjectType, id: event.subjectId },
    actor: { type: event.actorType, id: event.actorId },
    changes: event.changes,
  });
}
