const names = new Map<string, Intl.DisplayNames>();

/** `French` for `fr`; a code that the browser does not know stays as it is. */
export function describeLanguage(code: string, locale: string): string {
  try {
    return findNames(locale).of(code) ?? code;
  } catch {
    return code;
  }
}

/** Creating the names is slow, and they are needed whenever a conversation changes. */
function findNames(locale: string): Intl.DisplayNames {
  const known = names.get(locale) ?? new Intl.DisplayNames(locale, { type: 'language' });
  names.set(locale, known);
  return known;
}
