const DAY_MS = 86_400_000;

type Day = { readonly kind: 'today' | 'yesterday' } | { readonly kind: 'date'; readonly text: string };

/** `day` is its midnight in milliseconds, where the reader is. */
export function describeDay(day: number, { now, locale }: { readonly now: number; readonly locale: string }): Day {
  // A day with a change of the clock has 23 or 25 hours.
  const daysAgo = Math.round((new Date(now).setHours(0, 0, 0, 0) - day) / DAY_MS);
  if (daysAgo === 0) return { kind: 'today' };
  if (daysAgo === 1) return { kind: 'yesterday' };
  const isThisYear = new Date(day).getFullYear() === new Date(now).getFullYear();
  const format = new Intl.DateTimeFormat(locale, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(!isThisYear && { year: 'numeric' }),
  });
  return { kind: 'date', text: format.format(day) };
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** `10:07`. Creating a format is slow, and every message has a time. */
export function formatTime(at: string, locale: string): string {
  const format = formats.get(locale) ?? new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
  formats.set(locale, format);
  return format.format(new Date(at));
}

const SIZE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** `84 kB`. */
export function formatSize(bytes: number, locale: string): string {
  const power = Math.min(SIZE_UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1000 ** power;
  const format = new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: SIZE_UNITS[power] ?? 'byte',
    // Of bytes, the short form has no plural.
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: value < 10 && power > 0 ? 1 : 0,
  });
  return format.format(value);
}
