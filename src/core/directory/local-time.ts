import { LRUCache } from 'lru-cache';

const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

/** Creating a formatter costs about as much as a thousand uses. */
const formatters = new LRUCache<string, Intl.DateTimeFormat>({ max: 500 });

function getFormatter(timezone: string): Intl.DateTimeFormat {
  const formatter =
    formatters.get(timezone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
    });
  formatters.set(timezone, formatter);
  return formatter;
}

/** What clocks in the time zone show at an instant, written as the instant at which clocks in UTC show the same. */
export function toLocalTime(timezone: string, instant: number): number {
  const parts = getFormatter(timezone).formatToParts(instant);
  const value = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value);
  const [year, month, day] = [value('year'), value('month'), value('day')];
  return Date.UTC(year, month - 1, day, value('hour'), value('minute'), value('second'));
}

/**
 * The first and the last instant at which clocks in the time zone show a local time. They differ in the hour that is
 * repeated when daylight saving time ends. A local time that is skipped when it starts stands for the end of the gap.
 */
export function toInstants(timezone: string, local: number): { readonly first: number; readonly last: number } {
  const getOffset = (instant: number) => toLocalTime(timezone, instant) - instant;
  const [before, after] = [getOffset(local - DAY_MS), getOffset(local + DAY_MS)];
  const [earlier, later] = [local - Math.max(before, after), local - Math.min(before, after)];
  const isShown = (instant: number) => instant + getOffset(instant) === local;
  const shown = [earlier, later].filter(isShown);
  const [first, last] = [shown[0], shown.at(-1)];
  if (first !== undefined && last !== undefined) return { first, last };
  const end = findChange(getOffset, earlier, later);
  return { first: end, last: end };
}

/** The second at which the offset changes between two instants. */
function findChange(getOffset: (instant: number) => number, from: number, to: number): number {
  const offset = getOffset(from);
  let [low, high] = [from, to];
  while (high - low > 1000) {
    const middle = low + Math.floor((high - low) / 2000) * 1000;
    if (getOffset(middle) === offset) low = middle;
    else high = middle;
  }
  return high;
}
