import type { OpeningHours, TimeRange } from '../../settings.ts';

export interface HoursLine {
  readonly days: string;
  /** Empty if closed. */
  readonly times: readonly string[];
}

const DAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];
/** A Monday. */
const MONDAY = Date.UTC(2024, 0, 1);
const DAY_MS = 24 * 3600 * 1000;
const DATES_AHEAD = 7;

/** Days with the same hours share a line; then come the dates of the next week that differ. */
export function describeHours(
  { weekly, dates }: OpeningHours,
  now: Date,
  timeZone: string,
  locale: string,
): HoursLine[] {
  const utc = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
  const timeFormat = utc({ hour: 'numeric', minute: '2-digit' });
  const dayFormat = utc({ weekday: 'long' });
  const dateFormat = utc({ weekday: 'long', month: 'long', day: 'numeric' });
  const describe = (ranges: readonly TimeRange[]) =>
    [...ranges]
      .sort((first, second) => (first.from < second.from ? -1 : 1))
      .map(({ from, to }) => `${timeFormat.format(toTime(from))} – ${timeFormat.format(toTime(to))}`);

  const lines: { first: number; last: number; times: readonly string[] }[] = [];
  for (const [index, day] of DAYS.entries()) {
    const times = describe(weekly.filter((range) => range.day === day));
    const line = lines.at(-1);
    if (line?.times.join() === times.join()) line.last = index;
    else lines.push({ first: index, last: index, times });
  }
  const today = new Intl.DateTimeFormat('en-CA', { timeZone }).format(now);
  const daysUntil = (date: string) => (Date.parse(date) - Date.parse(today)) / DAY_MS;
  return [
    ...lines.map(({ first, last, times }) => ({
      days: dayFormat.formatRange(MONDAY + first * DAY_MS, MONDAY + last * DAY_MS),
      times,
    })),
    ...dates
      .filter(({ date }) => daysUntil(date) >= 0 && daysUntil(date) < DATES_AHEAD)
      .map(({ date, ranges }) => ({ days: dateFormat.format(Date.parse(date)), times: describe(ranges) })),
  ];
}

function toTime(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return MONDAY + (hours * 60 + minutes) * 60_000;
}

/** The name of the website's time zone, if clocks there show another time than the visitor's. */
export function describeTimeZone(now: Date, timeZone: string, locale: string): string | undefined {
  const read = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options).format(now);
  const clock = { dateStyle: 'short', timeStyle: 'short' } as const;
  if (read(clock) === read({ ...clock, timeZone })) return undefined;
  return new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'longGeneric' })
    .formatToParts(now)
    .find(({ type }) => type === 'timeZoneName')?.value;
}
