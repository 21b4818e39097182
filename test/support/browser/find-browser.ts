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

/** The package with a browser for machines without one. */
export const BROWSER_PACKAGE = join(import.meta.dirname, '../../browser-package');
export const UNPACKED_BROWSER = join(BROWSER_PACKAGE, 'node_modules/.unpacked');

/** `CHROMIUM_PATH`, an installed browser, or the one that the tests have installed. */
export function findBrowser(chromiumPath = process.env.CHROMIUM_PATH): BrowserProgram | undefined {
  if (chromiumPath) {
    if (!existsSync(chromiumPath)) throw new Error(`CHROMIUM_PATH is ${chromiumPath}, and there is no such file.`);
    return { executablePath: chromiumPath, env: {} };
  }
  const executablePath = INSTALLED.find((path) => existsSync(path));
  return executablePath === undefined ? findUnpackedBrowser() : { executablePath, env: {} };
}

function findUnpackedBrowser(): BrowserProgram | undefined {
  const executablePath = join(UNPACKED_BROWSER, 'chromium');
  if (!existsSync(executablePath)) return undefined;
  // A minimal system has neither the libraries nor any font; without fonts every text has height 0.
  const env = {
    LD_LIBRARY_PATH: join(UNPACKED_BROWSER, 'al2023/lib'),
    FONTCONFIG_PATH: join(UNPACKED_BROWSER, 'fonts'),
  };
  return { executablePath, env };
}
