import { useState } from 'react';
import { IconButton } from '../components/Button.tsx';
import { MOON, SUN } from '../components/icons.ts';
import { commonTexts } from '../texts/common.ts';
import { useTexts } from '../texts/LanguageContext.tsx';
import { chooseTheme, readTheme } from '../theme/page-theme.ts';
import { findOtherTheme } from '../theme/theme.ts';

/** Switches this browser between light and dark, before anyone has logged in. */
export function ThemeSwitch() {
  const t = useTexts(commonTexts);
  const [theme, setTheme] = useState(readTheme);
  const isSystemDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const isDark = theme === 'SYSTEM' ? isSystemDark : theme === 'DARK';
  return (
    <IconButton
      icon={isDark ? SUN : MOON}
      label={isDark ? t('useLightTheme') : t('useDarkTheme')}
      onPress={() => {
        const other = findOtherTheme(theme, isSystemDark);
        chooseTheme(other);
        setTheme(other);
      }}
    />
  );
}
