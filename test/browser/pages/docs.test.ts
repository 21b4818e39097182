import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { findAccessibilityProblems } from '../support/browser/accessibility.ts';
import { launchChromium, skipWithoutBrowser } from '../support/browser/chromium.ts';
import { fillInLogin, logInContext } from '../support/browser/log-in.ts';
import { recordViolations } from '../support/browser/violations.ts';
import { ADMIN, type Switchboard, startSwitchboard } from '../support/processes/switchboard.ts';
import { WAIT_TIMEOUT_MS } from '../support/waiting/wait.ts';

interface DocumentationPage {
  readonly path: string;
  /** Visible once the page is complete. */
  readonly content: string;
  /** The part whose accessibility is checked; defaults to the page. */
  readonly part?: string;
  readonly needsLogin?: boolean;
  /** Rules that Swagger UI and GraphiQL break: controls without a label, and buttons within buttons. */
  readonly brokenRules?: RegExp;
}

const PAGES: readonly DocumentationPage[] = [
  { path: '/developers', content: 'h1' },
  {
    path: '/docs',
    content: '.btn.execute',
    part: '.opblock:has(.opblock-body)',
    brokenRules: /^(nested-interactive|select-name): /,
  },
  { path: '/docs/migration', content: 'h1' },
  { path: '/docs/migration/meter', content: '#refresh', needsLogin: true },
  {
    path: '/graphiql',
    content: '.graphiql-query-editor .CodeMirror-line',
    needsLogin: true,
    brokenRules: /^(nested-interactive|label): /,
  },
];

describe('the documentation pages in a browser', { skip: skipWithoutBrowser }, () => {
  let switchboard: Switchboard;
  let browser: Browser;
  before(async () => {
    switchboard = await startSwitchboard();
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await switchboard?.stop();
  });

  async function open(page: Page, { path, content, needsLogin }: DocumentationPage): Promise<void> {
    if (needsLogin) await logInContext(page.context(), switchboard.url);
    await page.goto(switchboard.url + path);
    await page.locator(needsLogin ? '#log-out' : '#log-in').waitFor();
    if (path === '/docs') await page.locator('.opblock-summary-control').first().click();
    await page.locator(content).first().waitFor();
  }

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const entry of PAGES) {
      const { path, part, brokenRules } = entry;
      test(`${path} is accessible, fits 320 pixels, and keeps its content security policy, ${colorScheme}`, async () => {
        const context = await browser.newContext({ colorScheme, viewport: { width: 1280, height: 800 } });
        const page = await context.newPage();
        page.setDefaultTimeout(WAIT_TIMEOUT_MS);
        const violations = recordViolations(page, { hosts: [new URL(switchboard.url).host] });
        await open(page, entry);
        const problems = await findAccessibilityProblems(page, part);
        assert.deepEqual(
          problems.filter((problem) => !brokenRules?.test(problem)),
          [],
        );
        await page.setViewportSize({ width: 320, height: 640 });
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320);
        assert.deepEqual(violations, []);
        await context.close();
      });
    }
  }

  test('the API page is for everyone; its bar leads to the login and back', async () => {
    const page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(WAIT_TIMEOUT_MS);
    await page.goto(`${switchboard.url}/docs`);
    await page.locator('#log-in').click();
    await fillInLogin(page);
    await page.waitForURL(`${switchboard.url}/docs`);
    await page.locator('#log-out').waitFor();
    assert.match((await page.locator('#user').getAttribute('title')) ?? '', new RegExp(ADMIN.email));
    await page.locator('#log-out').click();
    await page.locator('#log-in').waitFor();
    assert.equal(page.url(), `${switchboard.url}/docs`);
    await page.context().close();
  });

  test('the pages have the font of the service', async () => {
    const page = await browser.newPage();
    await page.goto(`${switchboard.url}/developers`);
    const isLoaded = 'document.fonts.ready.then((fonts) => [...fonts].some((font) => font.status === "loaded"))';
    assert.equal(await page.evaluate(isLoaded), true);
    await page.close();
  });
});
