import { createContext, type ReactNode, use, useLayoutEffect, useMemo, useState } from 'react';
import { chooseLanguage, findLocale, type Language, readSavedLanguage, saveLanguage } from './language.ts';
import { createTranslate, type Dictionary, type Translate } from './texts.ts';

interface LanguageChoice {
  readonly language: Language;
  /** For `Intl`. */
  readonly locale: string;
  /** What someone chose: kept in this browser. */
  readonly choose: (language: Language) => void;
  /** The language of the operator who has logged in: applies unless someone chose another in this browser. */
  readonly setProfileLanguage: (tag: string | null) => void;
}

const LanguageContext = createContext<LanguageChoice | undefined>(undefined);

export function LanguageProvider({ children }: { readonly children: ReactNode }) {
  const [saved, setSaved] = useState(readSavedLanguage);
  const [profile, setProfileLanguage] = useState<string | null>(null);
  const language = chooseLanguage({ saved, profile, browser: navigator.languages });
  const choice = useMemo(() => {
    const choose = (chosen: Language) => {
      saveLanguage(chosen);
      setSaved(chosen);
    };
    return { language, locale: findLocale(language, navigator.languages), choose, setProfileLanguage };
  }, [language]);
  useLayoutEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  return <LanguageContext value={choice}>{children}</LanguageContext>;
}

export function useLanguage(): LanguageChoice {
  const choice = use(LanguageContext);
  if (choice === undefined) throw new Error('The page has no LanguageProvider.');
  return choice;
}

/** The texts of a view in the language of the page: `t('tryAgainIn', { time })`. */
export function useTexts<English extends Readonly<Record<string, string>>>(
  dictionary: Dictionary<English>,
): Translate<English> {
  const { language } = useLanguage();
  return useMemo(() => createTranslate(dictionary, language), [dictionary, language]);
}
