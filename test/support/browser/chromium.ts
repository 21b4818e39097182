import { after } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
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

let shared: Browser | undefined;

/** Returns the browser of this process, which all its suites share: they close their contexts, and not the browser. */
export async function launchChromium(): Promise<Browser> {
  if (!shared?.isConnected()) shared = await startBrowser();
  return shared;
}

function startBrowser(): Promise<Browser> {
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

/** The pages that are open in the browser of this process. */
export function findOpenPages(): Page[] {
  return shared?.contexts().flatMap((context) => context.pages()) ?? [];
}

// Under the test runner, which waits for all child processes. This is loaded before the first suite: `runTogether`.
if (process.env.NODE_TEST_CONTEXT) after(() => shared?.close());
