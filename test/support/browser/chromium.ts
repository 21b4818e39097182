import { existsSync } from 'node:fs';
import { after } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { readTreeTime } from '../processes/processor-time.ts';
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

interface SharedBrowser {
  readonly browser: Browser;
  readonly pid: number;
}

let shared: SharedBrowser | undefined;
let closedSeconds = 0;

/** Returns the browser of this process, which all its suites share: they close their contexts, and not the browser. */
export async function launchChromium(): Promise<Browser> {
  if (!shared?.browser.isConnected()) shared = await startBrowser();
  return shared.browser;
}

async function startBrowser(): Promise<SharedBrowser> {
  if (executablePath === undefined) throw new Error(MISSING);
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS, timeout: WAIT_TIMEOUT_MS });
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return { browser, pid: processInfo.find(({ type }) => type === 'browser')?.id ?? 0 };
}

/** The pages that are open in the browser of this process. */
export function findOpenPages(): Page[] {
  return shared?.browser.contexts().flatMap((context) => context.pages()) ?? [];
}

async function closeBrowser(): Promise<void> {
  if (!shared) return;
  closedSeconds = browserProcessorSeconds() ?? 0;
  const { browser } = shared;
  shared = undefined;
  await browser.close();
}

/** The processor time so far of the browser of this process, its child processes included. Undefined without `/proc`. */
export function browserProcessorSeconds(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  return closedSeconds + (shared ? readTreeTime(shared.pid) / 1_000_000 : 0);
}

// Under the test runner, which waits for all child processes. This is loaded before the first suite: `runTogether`.
if (process.env.NODE_TEST_CONTEXT) after(closeBrowser);
