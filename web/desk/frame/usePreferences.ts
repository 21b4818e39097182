import { useLayoutEffect } from 'react';
import { chooseTheme } from '../../shared/theme/page-theme.ts';
import { useDesk } from '../DeskContext.tsx';

/** Shows what the operator chose, on this computer or another. */
export function usePreferences(): void {
  const { theme, density } = useDesk((state) => state.viewer.preferences);
  useLayoutEffect(() => chooseTheme(theme), [theme]);
  useLayoutEffect(() => {
    document.documentElement.dataset.density = density.toLowerCase();
  }, [density]);
}
