import { countDaysBetween } from '../../words.ts';

export function formatTime(at: Date, locale: string): string {
  return new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit' }).format(at);
}

/** "Today", "Yesterday", or the date. */
export function formatDay(at: Date, now: Date, locale: string): string {
  const days = countDaysBetween(now, at);
  if (days < -1 || days > 0) return new Intl.DateTimeFormat(locale, { dateStyle: 'full' }).format(at);
  const word = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(days, 'day');
  return word.charAt(0).toLocaleUpperCase(locale) + word.slice(1);
}

/** 2.9 MB, 840 kB. */
export function formatSize(bytes: number, locale: string): string {
  const isLarge = bytes >= 1e6;
  const options = {
    style: 'unit',
    unit: isLarge ? 'megabyte' : 'kilobyte',
    maximumFractionDigits: isLarge ? 1 : 0,
  } as const;
  return new Intl.NumberFormat(locale, options).format(isLarge ? bytes / 1e6 : Math.ceil(bytes / 1e3));
}
