// Runs before the page is painted, as a script of its own: the page never appears in the other theme first, and a file
// of the page that does not arrive is noticed.
import { watchForFailedFiles } from '../page/script-failure.ts';
import { applyTheme, readTheme } from './page-theme.ts';

applyTheme(readTheme());
watchForFailedFiles();
