import { invalidField } from '../../core/kernel/errors.ts';
import type { NamedMoment } from '../../core/kernel/period.ts';

/** A moment as the interface writes it: `YYYY-MM-DD HH:MM:SS`, UTC. */
export function wireDate(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ');
}

const WRITTEN = /^\d{4}-\d{2}-\d{2}( \d{2}:\d{2}:\d{2})?$/;
const DAY_MS = 24 * 3600 * 1000;
const SECOND_MS = 1000;

/** A day, or a second of it, that the calendar has: `Date` itself takes 31 February for 3 March. */
export function readMoment(path: readonly string[], text: string): NamedMoment {
  const isDay = text.length === 10;
  const at = WRITTEN.test(text) ? Date.parse(`${isDay ? `${text} 00:00:00` : text}Z`.replace(' ', 'T')) : Number.NaN;
  if (Number.isNaN(at) || !wireDate(at).startsWith(text)) {
    throw invalidField(path, 'must be a day (YYYY-MM-DD) or a moment (YYYY-MM-DD HH:MM:SS), UTC');
  }
  return { at, end: at + (isDay ? DAY_MS : SECOND_MS) };
}
