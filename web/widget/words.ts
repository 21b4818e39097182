/** Fills the parts in braces of a text. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (part, name: string) => String(values[name] ?? part));
}

const DAY_MS = 86_400_000;

/** The visitor's form of a language, which decides between 9:00 PM and 21:00: `en-GB` for `en`. */
export function findLocale(language: string, preferred: readonly string[]): string {
  return preferred.find((each) => each.startsWith(`${language}-`)) ?? language;
}

/** The number of midnights between two times in the visitor's time zone. */
export function countDaysBetween(from: Date, to: Date): number {
  const midnightOf = (date: Date) => new Date(date).setHours(0, 0, 0, 0);
  return Math.round((midnightOf(to) - midnightOf(from)) / DAY_MS); // a day can have 23 hours
}

/** For example "tomorrow at 9:00", "Monday at 9:00", "January 4 at 9:00", in the visitor's time zone. */
export function describeTime(at: Date, now: Date, locale: string): string {
  const days = countDaysBetween(now, at);
  const day: Intl.DateTimeFormatOptions = days < 7 ? { weekday: 'long' } : { month: 'long', day: 'numeric' };
  const format = new Intl.DateTimeFormat(locale, { ...day, hour: 'numeric', minute: '2-digit' });
  if (days > 1) return format.format(at);
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(days, 'day');
  return format
    .formatToParts(at)
    .map(({ type, value }) => (type === 'weekday' ? relative : value))
    .join('');
}
