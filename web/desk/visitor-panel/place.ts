export interface Place {
  readonly name: string;
  /** What the clock there shows. */
  readonly time: string;
}

/** The place of a time zone, such as Paris for `Europe/Paris`. Undefined for one that the browser does not know. */
export function describePlace(timezone: string, now: number, locale: string): Place | undefined {
  if (timezone === '') return undefined;
  try {
    const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: timezone }).format(now);
    const name = timezone.startsWith('Etc/') ? timezone : (timezone.split('/').at(-1) ?? timezone);
    return { name: name.replaceAll('_', ' '), time };
  } catch {
    return undefined;
  }
}

/** The website that led to the page. Undefined for another page of the same website, and for what is no address. */
export function findOrigin(referrer: string, page: string): string | undefined {
  if (!URL.canParse(referrer)) return undefined;
  const { host } = new URL(referrer);
  if (host === '' || (URL.canParse(page) && new URL(page).host === host)) return undefined;
  return host.replace(/^www\./, '');
}
