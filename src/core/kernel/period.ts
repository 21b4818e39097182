import { invalidField } from './errors.ts';

/** A stretch of time by the moment at which a conversation began; each end may be open. `to` itself is outside. */
export interface Period {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** An end of a period as a caller names it: a whole day or a whole second, which are both inside. */
export interface NamedMoment {
  readonly at: number;
  /** The first moment after it. */
  readonly end: number;
}

export interface NamedPeriod {
  readonly from?: NamedMoment | undefined;
  readonly to?: NamedMoment | undefined;
}

const MAX_MONTHS = 3;

/** What the caller named, and nothing else. `path` leads to the two ends in the input. */
export function periodOf(path: readonly string[], { from, to }: NamedPeriod): Period {
  if (from && to && from.at > to.at) throw invalidField([...path, 'to'], 'must not be before from');
  return { from: from?.at, to: to?.end };
}

/** At most three months: from or up to the end that is named, and up to now where none is. */
export function threeMonths(path: readonly string[], named: NamedPeriod, now: number): Period {
  const { from, to } = named;
  const given = periodOf(path, named);
  if (from && to) {
    // Months differ in length: a period that is three months from either of its ends is one.
    if (to.at > addMonths(from.at, MAX_MONTHS) && from.at < addMonths(to.at, -MAX_MONTHS)) {
      throw invalidField([...path, 'to'], `must be at most ${MAX_MONTHS} months after from`);
    }
    return given;
  }
  if (from) return { from: from.at, to: addMonths(from.at, MAX_MONTHS) };
  if (to) return { from: addMonths(to.at, -MAX_MONTHS), to: to.end };
  return { from: addMonths(now, -MAX_MONTHS) };
}

/** The same day and time in another month; the last day of a month that is too short for it. */
function addMonths(moment: number, months: number): number {
  const date = new Date(moment);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return date.getTime();
}
