import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** A browser for the tests, and the environment that it needs. */
export interface BrowserProgram {
  readonly executablePath: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Where Linux and macOS have Chromium and Chrome. */
const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** The package with a headless browser, which `npm test` installs. */
export const BROWSER_PACKAGE = join(import.meta.dirname, '../../browser-package');
export const UNPACKED_BROWSER = join(BROWSER_PACKAGE, 'node_modules/.unpacked');

/**
 * `CHROMIUM_PATH`, else the headless browser of the tests, else an installed one. The headless one opens no windows, so
 * that it takes less than half the processor time of a whole browser, and it has the same version everywhere.
 */
export function findBrowser(chromiumPath = process.env.CHROMIUM_PATH): BrowserProgram | undefined {
  if (chromiumPath) {
    if (!existsSync(chromiumPath)) throw new Error(`CHROMIUM_PATH is ${chromiumPath}, and there is no such file.`);
    return { executablePath: chromiumPath, env: {} };
  }
  return findUnpackedBrowser() ?? findInstalledBrowser();
}

export function findUnpackedBrowser(): BrowserProgram | undefined {
  const executablePath = join(UNPACKED_BROWSER, 'chromium');
  if (!existsSync(executablePath)) return undefined;
  // A minimal system has neither the libraries nor any font; without fonts every text has height 0.
  const env = {
    LD_LIBRARY_PATH: join(UNPACKED_BROWSER, 'al2023/lib'),
    FONTCONFIG_PATH: join(UNPACKED_BROWSER, 'fonts'),
  };
  return { executablePath, env };
}

function findInstalledBrowser(): BrowserProgram | undefined {
  const executablePath = INSTALLED.find((path) => existsSync(path));
  return executablePath === undefined ? undefined : { executablePath, env: {} };
}
