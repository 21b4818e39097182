import { readStored, writeStored } from '../stored.ts';
import type { Theme } from './theme.ts';

/** The theme of this browser, also before anyone has logged in. */
export function readTheme(): Theme {
  const saved = readStored('theme');
  return saved === 'LIGHT' || saved === 'DARK' ? saved : 'SYSTEM';
}

/** Keeps the theme in this browser and shows it. */
export function chooseTheme(theme: Theme): void {
  writeStored('theme', theme === 'SYSTEM' ? null : theme);
  applyTheme(theme);
}

/** The colours follow `data-theme`, and without it the system. */
export function applyTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === 'SYSTEM') delete dataset.theme;
  else dataset.theme = theme.toLowerCase();
}
