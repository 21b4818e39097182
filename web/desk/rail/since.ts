const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** `2 min`, as it fits at the end of a row; `now` for less than a minute. */
export function formatSince(milliseconds: number, { locale, now }: { locale: string; now: string }): string {
  const seconds = milliseconds / 1000;
  for (const [unit, length] of UNITS) {
    if (seconds < length) continue;
    return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' }).format(
      Math.floor(seconds / length),
    );
  }
  return now;
}
