const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** `5 minutes ago`; `now` for less than a minute, and for a clock that is behind the server's. */
export function formatRelativeTime(at: number, { now, locale }: { now: number; locale: string }): string {
  const seconds = Math.max(0, Math.floor((now - at) / 1000));
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  for (const [unit, length] of UNITS) {
    if (seconds >= length) return format.format(-Math.floor(seconds / length), unit);
  }
  return format.format(0, 'second');
}
