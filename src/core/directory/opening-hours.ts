import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { OpeningSchedule } from './opening-schedule.ts';

/** In the order of ISO 8601. */
export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

const MAX_WEEKLY_RANGES = 50;
const MAX_DATES = 400;
const MAX_RANGES_PER_DATE = 10;

const FROM_RULE = 'must be a time from 00:00 to 23:59, for example 09:00';
const TO_RULE = 'must be a time from 00:00 to 24:00, for example 17:30';
const LENGTH_RULE = 'must differ from the start; for a whole day use 00:00 to 24:00';
const DATE_RULE = 'must be a date like 2026-12-24';
const WEEKLY_RULE = `must be at most ${MAX_WEEKLY_RANGES} ranges`;
const DATES_RULE = `must be at most ${MAX_DATES} different dates`;
const RANGES_RULE = `must be at most ${MAX_RANGES_PER_DATE} ranges`;

const rangeFields = {
  from: z.string({ error: FROM_RULE }).regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: FROM_RULE }),
  to: z.string({ error: TO_RULE }).regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, { error: TO_RULE }),
};
const isNotEmpty = ({ from, to }: { readonly from: string; readonly to: string }) => from !== to;

const timeRange = z.strictObject(rangeFields).refine(isNotEmpty, { error: LENGTH_RULE, path: ['to'] });
const weeklyRange = z
  .strictObject({ day: z.enum(WEEKDAYS), ...rangeFields })
  .refine(isNotEmpty, { error: LENGTH_RULE, path: ['to'] });
const dateHours = z.strictObject({
  date: z.string({ error: DATE_RULE }).refine(isCalendarDate, { error: DATE_RULE }),
  ranges: z.array(timeRange).max(MAX_RANGES_PER_DATE, { error: RANGES_RULE }),
});

/**
 * The hours of a week, and dates with other hours or none, in the website's time zone. A range whose end is not after
 * its start ends on the next day; it belongs to the day on which it starts.
 */
export const openingHoursSchema = z.strictObject({
  weekly: z.array(weeklyRange).max(MAX_WEEKLY_RANGES, { error: WEEKLY_RULE }),
  dates: z
    .array(dateHours)
    .max(MAX_DATES, { error: DATES_RULE })
    .refine((dates) => new Set(dates.map(({ date }) => date)).size === dates.length, { error: DATES_RULE })
    .transform((dates) => dates.toSorted((a, b) => (a.date < b.date ? -1 : 1)))
    .default([]),
});

export type OpeningHours = z.output<typeof openingHoursSchema>;

export interface OpeningStatus {
  readonly isOpen: boolean;
  /** The next opening. Null while the website is open, and if it never opens again. */
  readonly opensAt: number | null;
}

/** Hours that were parsed from the same text are the same object, so that their schedule is built once. */
const parsedHours = new LRUCache<string, OpeningHours>({ max: 2000 });

export function parseOpeningHours(text: string | null): OpeningHours | null {
  if (text === null) return null;
  const hours = parsedHours.get(text) ?? (JSON.parse(text) as OpeningHours);
  parsedHours.set(text, hours);
  return hours;
}

/** Without hours a website is always open. */
export function getOpeningStatus(hours: OpeningHours | null, timezone: string, now: number): OpeningStatus {
  return hours === null ? ALWAYS_OPEN : getSchedule(hours, timezone).getStatus(now);
}

export function isOpen(hours: OpeningHours | null, timezone: string, now: number): boolean {
  return getOpeningStatus(hours, timezone, now).isOpen;
}

export function opensAt(hours: OpeningHours | null, timezone: string, now: number): number | null {
  return getOpeningStatus(hours, timezone, now).opensAt;
}

const ALWAYS_OPEN: OpeningStatus = { isOpen: true, opensAt: null };

const schedules = new WeakMap<OpeningHours, OpeningSchedule>();

function getSchedule(hours: OpeningHours, timezone: string): OpeningSchedule {
  const earlier = schedules.get(hours);
  if (earlier?.timezone === timezone) return earlier;
  const weekly = WEEKDAYS.map((day) => hours.weekly.filter((range) => range.day === day).map(toMinutes));
  const dates = new Map(hours.dates.map(({ date, ranges }) => [Date.parse(date), ranges.map(toMinutes)]));
  const schedule = new OpeningSchedule(timezone, weekly, dates);
  schedules.set(hours, schedule);
  return schedule;
}

function toMinutes({ from, to }: { readonly from: string; readonly to: string }) {
  const [start, end] = [parseMinutes(from), parseMinutes(to)];
  return { start, end: end > start ? end : end + 24 * 60 };
}

function parseMinutes(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

/** From 1970 to 9999. `Date` silently turns 31 February into 3 March. */
function isCalendarDate(text: string): boolean {
  if (!/^(19[7-9]\d|[2-9]\d{3})-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
