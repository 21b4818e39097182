import { invalidField } from '../../core/kernel/errors.ts';
import type { PeriodBound } from '../../core/kernel/period.ts';

/** Formats a time as `YYYY-MM-DD HH:MM:SS`, UTC. */
export function toWireDate(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ');
}

const DATE_PATTERN = /^\d{4}-\d{2}-\d{2}( \d{2}:\d{2}:\d{2})?$/;
const DAY_MS = 24 * 3600 * 1000;
const SECOND_MS = 1000;

/** Parses a date, or a date and time. Checks that it exists: `Date` would accept 31 February as 3 March. */
export function parsePeriodBound(path: readonly string[], text: string): PeriodBound {
  const isDay = text.length === 10;
  const at = DATE_PATTERN.test(text)
    ? Date.parse(`${isDay ? `${text} 00:00:00` : text}Z`.replace(' ', 'T'))
    : Number.NaN;
  if (Number.isNaN(at) || !toWireDate(at).startsWith(text)) {
    throw invalidField(path, 'must be a date (YYYY-MM-DD) or a date and time (YYYY-MM-DD HH:MM:SS), UTC');
  }
  return { at, end: at + (isDay ? DAY_MS : SECOND_MS) };
}
