import { useState, useSyncExternalStore } from 'react';
import { IconButton } from '../components/Button.tsx';
import { MOON, SUN } from '../components/icons.ts';
import { commonTexts } from '../texts/common.ts';
import { useTexts } from '../texts/LanguageContext.tsx';
import { chooseTheme, readTheme } from '../theme/page-theme.ts';
import { findOtherTheme, type Theme } from '../theme/theme.ts';

const SYSTEM_DARK = matchMedia('(prefers-color-scheme: dark)');

function watchSystem(onChange: () => void): () => void {
  SYSTEM_DARK.addEventListener('change', onChange);
  return () => SYSTEM_DARK.removeEventListener('change', onChange);
}

interface ThemeSwitchProps {
  /** Defaults to what this browser keeps. */
  readonly theme?: Theme;
  /** Someone who has logged in takes the theme to other browsers as well. */
  readonly onChoose?: (theme: Theme) => void;
}

/** Switches this browser between light and dark, also before anyone has logged in. */
export function ThemeSwitch({ theme: givenTheme, onChoose }: ThemeSwitchProps) {
  const t = useTexts(commonTexts);
  const [ownTheme, setOwnTheme] = useState(readTheme);
  const theme = givenTheme ?? ownTheme;
  const isSystemDark = useSyncExternalStore(watchSystem, () => SYSTEM_DARK.matches);
  const isDark = theme === 'SYSTEM' ? isSystemDark : theme === 'DARK';
  return (
    <IconButton
      icon={isDark ? SUN : MOON}
      label={isDark ? t('useLightTheme') : t('useDarkTheme')}
      onPress={() => {
        const other = findOtherTheme(theme, isSystemDark);
        chooseTheme(other);
        setOwnTheme(other);
        onChoose?.(other);
      }}
    />
  );
}
