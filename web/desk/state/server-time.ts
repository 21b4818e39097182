/** `Date` headers have whole seconds. */
const HEADER_PRECISION_MS = 1000;

/** What is known of the difference between this computer's clock and the service's, in milliseconds. */
export interface ClockBounds {
  /** The clock is ahead by at least this. */
  readonly lower: number;
  /** And by at most this. */
  readonly upper: number;
}

export const UNKNOWN_CLOCK: ClockBounds = { lower: Number.NEGATIVE_INFINITY, upper: Number.POSITIVE_INFINITY };

/** A response with a `Date` header; both times are those of this computer. */
export function compareWithHeader(date: string | null, sentAt: number, receivedAt: number): ClockBounds {
  const serverTime = Date.parse(date ?? '');
  if (Number.isNaN(serverTime)) return UNKNOWN_CLOCK;
  return { lower: sentAt - serverTime - HEADER_PRECISION_MS, upper: receivedAt - serverTime };
}

/** An event happened before it arrived here, however long before. */
export function compareWithEvent(at: string, receivedAt: number): ClockBounds {
  return { ...UNKNOWN_CLOCK, upper: receivedAt - Date.parse(at) };
}

/** What both say. A contradiction means that a clock was set meanwhile: then the newer one counts. */
export function combineBounds(known: ClockBounds, received: ClockBounds): ClockBounds {
  const lower = Math.max(known.lower, received.lower);
  const upper = Math.min(known.upper, received.upper);
  return lower <= upper ? { lower, upper } : received;
}

/** How far the clock is ahead. A clock that may be right is taken as right. */
export function estimateOffset({ lower, upper }: ClockBounds): number {
  if (lower <= 0 && upper >= 0) return 0;
  return Number.isFinite(upper) ? upper : lower;
}

/** A time of the service as a time of `Date.now()` on this computer, for countdowns and waiting times. */
export function toLocalTime(at: string, clockOffset: number): number {
  return Date.parse(at) + clockOffset;
}
