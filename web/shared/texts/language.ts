import { readStored, writeStored } from '../stored.ts';

/** Each language in its own words, in the order in which people choose from them. */
export const LANGUAGES = { en: 'English', de: 'Deutsch', es: 'Español', fr: 'Français' } as const;

export type Language = keyof typeof LANGUAGES;

export interface LanguageSources {
  /** What someone chose in this browser. */
  readonly saved?: string | null | undefined;
  /** The language in the profile of the operator who is logged in. */
  readonly profile?: string | null | undefined;
  /** What the browser prefers, in its order. */
  readonly browser: readonly string[];
}

/**
 * A choice in this browser comes first, then the operator's profile, then the settings of the browser. English in a
 * profile is the default that mostly no one chose: who prefers it chooses it in the browser.
 */
export function chooseLanguage({ saved, profile, browser }: LanguageSources): Language {
  const chosenProfile = toLanguage(profile) === 'en' ? null : profile;
  return [saved, chosenProfile, ...browser].map(toLanguage).find((language) => language !== undefined) ?? 'en';
}

/** The language of a tag such as `de-AT`, if the pages have it. */
export function toLanguage(tag: string | null | undefined): Language | undefined {
  const language = tag?.split(/[-_]/)[0]?.toLowerCase() ?? '';
  return Object.hasOwn(LANGUAGES, language) ? (language as Language) : undefined;
}

/** The reader's form of a language, which decides how dates and numbers are written: `en-GB` for `en`. */
export function findLocale(language: Language, preferred: readonly string[]): string {
  return preferred.find((tag) => toLanguage(tag) === language && isTag(tag)) ?? language;
}

/** Some browsers have the name of the system's locale, such as `en-US@posix`, which `Intl` refuses. */
function isTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length > 0;
  } catch {
    return false;
  }
}

export function readSavedLanguage(): string | null {
  return readStored('language');
}

export function saveLanguage(language: Language): void {
  writeStored('language', language);
}
