/** Fills the parts in braces of a text. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (part, name: string) => String(values[name] ?? part));
}

const DAY_MS = 86_400_000;

/**
 * The visitor's form of a language, which decides between 9:00 PM and 21:00: `en-GB` for `en`. Some browsers have the name
 * of the system's locale, such as `en-US@posix`, which `Intl` refuses.
 */
export function findLocale(language: string, preferred: string): string {
  return preferred.startsWith(language) && !/@/.test(preferred) ? preferred : language;
}

/** The number of midnights between two times in the visitor's time zone. */
export function countDaysBetween(from: Date, to: Date): number {
  const midnightOf = (date: Date) => new Date(date).setHours(0, 0, 0, 0);
  return Math.round((midnightOf(to) - midnightOf(from)) / DAY_MS); // a day can have 23 hours
}

/** For example "tomorrow at 9:00", "Monday at 9:00", "January 4 at 9:00", in the visitor's time zone. */
export function describeTime(at: Date, now: Date, locale: string): string {
  const days = countDaysBetween(now, at);
  const time = { hour: 'numeric', minute: '2-digit' } as const;
  const parts = new Intl.DateTimeFormat(locale, { month: 'long', day: 'numeric', ...time }).formatToParts(at);
  // The word of the day stands in the place of its date, which comes first in our languages.
  const dateEnd = days < 7 ? parts.findLastIndex(({ type }) => type === 'day' || type === 'month') + 1 : 0;
  const word =
    days > 1
      ? new Intl.DateTimeFormat(locale, { weekday: 'long' }).format(at)
      : new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(days, 'day');
  return [dateEnd ? word : '', ...parts.slice(dateEnd).map(({ value }) => value)].join('');
}
