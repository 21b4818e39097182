import { invalidField } from './errors.ts';

/** A period of time. Either end can be open; `to` is exclusive. */
export interface Period {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** One end of a requested period: a day or a second, included as a whole. */
export interface PeriodBound {
  readonly at: number;
  /** The first millisecond after it. */
  readonly end: number;
}

export interface RequestedPeriod {
  readonly from?: PeriodBound | undefined;
  readonly to?: PeriodBound | undefined;
}

const MAX_MONTHS = 3;

/** Converts a requested period without limiting its length. `path` is the location of both ends in the input. */
export function toPeriod(path: readonly string[], { from, to }: RequestedPeriod): Period {
  if (from && to && from.at > to.at) throw invalidField([...path, 'to'], 'must not be before from');
  return { from: from?.at, to: to?.end };
}

/** Limits a period to three months: after `from`, before `to`, or before now if neither is given. */
export function limitToThreeMonths(path: readonly string[], requested: RequestedPeriod, now: number): Period {
  const { from, to } = requested;
  const period = toPeriod(path, requested);
  if (from && to) {
    // Months differ in length: three months counted from either end is allowed.
    if (to.at > addMonths(from.at, MAX_MONTHS) && from.at < addMonths(to.at, -MAX_MONTHS)) {
      throw invalidField([...path, 'to'], `must be at most ${MAX_MONTHS} months after from`);
    }
    return period;
  }
  if (from) return { from: from.at, to: addMonths(from.at, MAX_MONTHS) };
  if (to) return { from: addMonths(to.at, -MAX_MONTHS), to: to.end };
  return { from: addMonths(now, -MAX_MONTHS) };
}

/** Returns the same day and time in another month, or its last day if the month is shorter. */
function addMonths(time: number, months: number): number {
  const date = new Date(time);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return date.getTime();
}
