import { useEffect, useLayoutEffect, useRef } from 'react';
import { useLanguage } from '../../shared/texts/LanguageContext.tsx';
import { toLanguage } from '../../shared/texts/language.ts';
import { chooseTheme } from '../../shared/theme/page-theme.ts';
import { useDesk } from '../DeskContext.tsx';

/** Shows what the operator chose, on this computer or another. */
export function usePreferences(): void {
  useChosenLanguage();
  const { theme, density } = useDesk((state) => state.viewer.preferences);
  useLayoutEffect(() => chooseTheme(theme), [theme]);
  useLayoutEffect(() => {
    document.documentElement.dataset.density = density.toLowerCase();
  }, [density]);
}

/** Only what is chosen from now on: until then a choice in this browser comes first. */
function useChosenLanguage(): void {
  const { choose } = useLanguage();
  const chosen = useDesk((state) => state.viewer.languageAdmin);
  const last = useRef(chosen);
  useEffect(() => {
    if (last.current === chosen) return;
    last.current = chosen;
    const language = toLanguage(chosen);
    if (language) choose(language);
  }, [chosen, choose]);
}
