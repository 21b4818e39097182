// Runs before the page is painted, as a script of its own: the page never appears in the other theme first.
import { applyTheme, readTheme } from './page-theme.ts';

applyTheme(readTheme());
