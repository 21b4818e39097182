import { DAY_MS, toInstants, toLocalTime } from './local-time.ts';

/** Minutes after the midnight at which a day starts; the end may be on the next day. */
export interface MinuteRange {
  readonly start: number;
  readonly end: number;
}

interface Interval {
  readonly from: number;
  readonly to: number;
}

interface Status {
  readonly isOpen: boolean;
  readonly opensAt: number | null;
}

/** While a website is open, its status is computed again after this many days at the latest. */
const DAYS_AHEAD = 2;

const MINUTE_MS = 60_000;

/**
 * Opening hours in a time zone. Days are the midnights at which they would start in UTC. The status is computed once
 * and kept until the next opening or closing.
 */
export class OpeningSchedule {
  readonly timezone: string;
  /** Starts with Monday. */
  readonly #weekly: readonly (readonly MinuteRange[])[];
  readonly #dates: ReadonlyMap<number, readonly MinuteRange[]>;
  #known: { readonly status: Status; readonly from: number; readonly to: number } | undefined;

  /** The dates must be in order. */
  constructor(
    timezone: string,
    weekly: readonly (readonly MinuteRange[])[],
    dates: ReadonlyMap<number, readonly MinuteRange[]>,
  ) {
    this.timezone = timezone;
    this.#weekly = weekly;
    this.#dates = dates;
  }

  getStatus(now: number): Status {
    if (this.#known && this.#known.from <= now && now < this.#known.to) return this.#known.status;
    this.#known = this.#computeStatus(now);
    return this.#known.status;
  }

  #computeStatus(now: number) {
    const today = Math.floor(toLocalTime(this.timezone, now) / DAY_MS) * DAY_MS;
    const nearDays = Array.from({ length: DAYS_AHEAD + 2 }, (_, index) => today + (index - 1) * DAY_MS);
    const intervals = nearDays.flatMap((day) => this.#listIntervals(day)).sort((a, b) => a.from - b.from);
    const closesAt = intervals.reduce((end, { from, to }) => (from <= end && to > end ? to : end), now);
    if (closesAt > now) return { status: { isOpen: true, opensAt: null }, from: now, to: closesAt };
    const opensAt = intervals.find(({ from }) => from > now)?.from ?? this.#findOpening(today + DAYS_AHEAD * DAY_MS);
    const status = { isOpen: false, opensAt: opensAt ?? null };
    return { status, from: now, to: opensAt ?? Number.POSITIVE_INFINITY };
  }

  /** The first opening on a later day. Looks at each date once, and at as many weeks as the dates can close. */
  #findOpening(lastDay: number): number | undefined {
    const days = 7 * (this.#dates.size + 2);
    for (let day = lastDay + DAY_MS; day <= lastDay + days * DAY_MS; day += DAY_MS) {
      const opening = this.#findOpeningOn(day);
      if (opening !== undefined) return opening;
    }
    for (const day of this.#dates.keys()) {
      const opening = day > lastDay ? this.#findOpeningOn(day) : undefined;
      if (opening !== undefined) return opening;
    }
    return undefined;
  }

  #findOpeningOn(day: number): number | undefined {
    const openings = this.#listIntervals(day).map(({ from }) => from);
    return openings.length > 0 ? Math.min(...openings) : undefined;
  }

  /** The ranges that start on a day. A range that lies in the gap of daylight saving time is empty. */
  #listIntervals(day: number): Interval[] {
    const ranges = this.#dates.get(day) ?? this.#weekly[(day / DAY_MS + 3) % 7] ?? []; // 1 January 1970: a Thursday
    return ranges
      .map(({ start, end }) => ({
        from: toInstants(this.timezone, day + start * MINUTE_MS).first,
        to: toInstants(this.timezone, day + end * MINUTE_MS).last,
      }))
      .filter(({ from, to }) => from < to);
  }
}
