import type { Actor, Changes } from '../../storage/database.ts';

export const DELIVERY_STATES = ['pending', 'delivered', 'dead'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** One event on its way to one hook, and what became of it. */
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

/** A receiver must answer within this time. */
export const TIMEOUT_MS = 10_000;
/** Whoever sends a delivery keeps others from it for so long: the time-out, and time to write down the outcome. */
export const CLAIM_MS = TIMEOUT_MS + 5000;
/** For so long after its first try a delivery is tried again. */
export const RETRY_MS = 24 * 3600 * 1000;
/** A hook is paused when so many tries in a row failed over so long a time, or after so many dead letters in a row. */
export const KEEPS_FAILING = { tries: 10, milliseconds: RETRY_MS, deadLetters: 100 } as const;

const FIRST_WAIT_MS = 5000;
const MAX_WAIT_MS = 3600 * 1000;
const JITTER = 0.25;

/**
 * How long to wait after the n-th try that failed: 5 s, then twice as long each time, an hour at most. A quarter more or less
 * by chance, so that what failed together does not come back together.
 */
export function waitAfter(attempts: number, random: () => number): number {
  const wait = Math.min(FIRST_WAIT_MS * 2 ** Math.min(attempts - 1, 20), MAX_WAIT_MS);
  return Math.round(wait * (1 - JITTER + 2 * JITTER * random()));
}

/** What came of sending: an answer, or none. */
export type Outcome =
  | { readonly status: number; readonly retryAfter: string | undefined }
  | { readonly error: string }
  | 'abandoned';

/** What an outcome means for the delivery. Redirects are answers like others: nothing follows them. */
export function verdictOn(outcome: Exclude<Outcome, 'abandoned'>): 'delivered' | 'retry' | 'dead' {
  if ('error' in outcome) return 'retry';
  const { status } = outcome;
  if (status >= 200 && status < 300) return 'delivered';
  return status === 429 || status >= 500 ? 'retry' : 'dead';
}

/** Until when the receiver asked for quiet (`Retry-After`, in seconds or as a date), a day at most. */
export function quietUntil(outcome: Outcome, now: number): number | undefined {
  if (outcome === 'abandoned' || 'error' in outcome || !outcome.retryAfter) return undefined;
  if (outcome.status !== 429 && outcome.status !== 503) return undefined;
  const text = outcome.retryAfter.trim();
  const until = /^\d{1,9}$/.test(text) ? now + Number(text) * 1000 : Date.parse(text);
  return until > now ? Math.min(until, now + RETRY_MS) : undefined;
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

/** The event's own name. It is the same in every try, so that a receiver can tell that it has seen it. */
export function eventIdOf({ accountId, position }: { accountId: number; position: number }): string {
  return `${accountId}-${position}`;
}

/** What is posted. */
export function bodyOf(event: DeliveredEvent): string {
  return JSON.stringify({
    id: eventIdOf(event),
    position: event.position,
    type: event.type,
    at: new Date(event.at).toISOString(),
    account: event.accountId,
    subject: { type: event.subjectType, id: event.subjectId },
    actor: { type: event.actorType, id: event.actorId },
    changes: event.changes,
  });
}
