import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { WAIT_TIMEOUT_MS } from '../waiting/wait.ts';

/** For code outside of this folder, which does not see the packages of the tests. */
export type { BrowserContext, CDPSession, Page } from 'playwright-core';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = PATHS.find((path) => existsSync(path));
const MISSING =
  `Chromium was not found at ${PATHS.join(', ')}. ` +
  'Install it, on Debian with `apt-get update && apt-get install -y chromium`.';

const ARGUMENTS = [
  '--no-sandbox', // for root, in containers
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The option `skip` of a suite: without Chromium it is skipped, unless `REQUIRE_BROWSER=1` makes that a failure. */
export const skipWithoutBrowser: string | false =
  executablePath === undefined && process.env.REQUIRE_BROWSER !== '1' ? MISSING : false;

export async function launchChromium(): Promise<Browser> {
  if (executablePath === undefined) throw new Error(MISSING);
  return chromium.launch({ executablePath, args: ARGUMENTS, timeout: WAIT_TIMEOUT_MS });
}
