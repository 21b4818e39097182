import { type Browser, chromium } from 'playwright-core';
import { WAIT_TIMEOUT_MS } from '../waiting/wait.ts';
import { findBrowser } from './find-browser.ts';

/** For code outside of this folder, which does not see the packages of the tests. */
export type { BrowserContext, CDPSession, Page } from 'playwright-core';

const ARGUMENTS = [
  '--no-sandbox', // for root, in containers
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The option `skip` of a suite: `npm test -- --no-browser` leaves the browser tests out. */
export const skipWithoutBrowser: string | false = process.env.NO_BROWSER === '1' ? 'left out: --no-browser' : false;

export async function launchChromium(): Promise<Browser> {
  const browser = findBrowser();
  if (!browser) throw new Error('There is no browser. `npm test` installs one; CHROMIUM_PATH names another.');
  const { executablePath, env } = browser;
  return chromium.launch({
    executablePath,
    env: { ...process.env, ...env },
    args: ARGUMENTS,
    timeout: WAIT_TIMEOUT_MS,
  });
}
