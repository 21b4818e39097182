/** As in the preferences of an operator. */
export type Theme = 'SYSTEM' | 'LIGHT' | 'DARK';

/** The theme after a switch between light and dark. What the system has anyway is not kept as a choice. */
export function findOtherTheme(theme: Theme, isSystemDark: boolean): Theme {
  const isDark = theme === 'SYSTEM' ? isSystemDark : theme === 'DARK';
  if (isDark !== isSystemDark) return 'SYSTEM';
  return isDark ? 'LIGHT' : 'DARK';
}
