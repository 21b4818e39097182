interface DurationWords {
  readonly locale: string;
  readonly underMinute: string;
}

/** `12 min`, from an hour on `2 hr, 5 min`. */
export function describeDuration(milliseconds: number, { locale, underMinute }: DurationWords): string {
  const minutes = Math.max(0, Math.floor(milliseconds / 60_000));
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  if (days > 0) return format(days, 'day', locale);
  if (minutes === 0) return underMinute;
  if (hours === 0) return format(minutes, 'minute', locale);
  return [format(hours, 'hour', locale), format(minutes % 60, 'minute', locale)].join(' ');
}

function format(value: number, unit: 'day' | 'hour' | 'minute', locale: string): string {
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' }).format(value);
}
