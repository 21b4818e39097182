const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

const formats = new Map<string, Intl.NumberFormat>();

/** `2 min`, as it fits at the end of a row; `now` for less than a minute. */
export function formatSince(milliseconds: number, { locale, now }: { locale: string; now: string }): string {
  const seconds = milliseconds / 1000;
  for (const [unit, length] of UNITS) {
    if (seconds < length) continue;
    return findFormat(locale, unit).format(Math.floor(seconds / length));
  }
  return now;
}

/** Creating a format is slow, and every row has a time. */
function findFormat(locale: string, unit: (typeof UNITS)[number][0]): Intl.NumberFormat {
  const key = `${locale} ${unit}`;
  const format = formats.get(key) ?? new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' });
  formats.set(key, format);
  return format;
}
