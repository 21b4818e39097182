import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertIsAccessible } from '../../support/browser/assert-page.ts';
import { describeInBrowser } from '../../support/browser/describe-in-browser.ts';
import { fillInLogin, logInContext } from '../../support/browser/log-in.ts';
import { PagePool } from '../../support/browser/page-pool.ts';
import { ADMIN, type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

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

describeInBrowser('the documentation pages in a browser', () => {
  let switchboard: Switchboard;
  let pages: PagePool;
  before(async () => {
    switchboard = await startSwitchboard();
    pages = new PagePool({ hosts: [new URL(switchboard.url).host] });
  });
  after(async () => {
    await pages?.end();
    await switchboard?.stop();
  });
  afterEach(() => pages.closeAll());

  async function open(page: Page, { path, content, needsLogin }: DocumentationPage): Promise<void> {
    if (needsLogin) await logInContext(page.context(), switchboard.url);
    await page.goto(switchboard.url + path);
    await page.locator(needsLogin ? '#log-out' : '#log-in').waitFor();
    if (path === '/docs') await page.locator('.opblock-summary-control').first().click();
    await page.locator(content).first().waitFor();
  }

  for (const entry of PAGES) {
    const { path, part, brokenRules } = entry;
    test(`${path} is accessible in both themes, fits 320 pixels, and keeps its content security policy`, async () => {
      const page = await pages.open();
      await open(page, entry);
      await assertIsAccessible(page, path, part, brokenRules);
      await page.setViewportSize({ width: 320, height: 640 });
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320);
    });
  }

  // `/docs`, which is for everyone too, takes seconds of the processor each time it is opened.
  test('a page for everyone has a bar that leads to the login and back', async () => {
    const page = await pages.open();
    const address = `${switchboard.url}/developers`;
    await page.goto(address);
    await page.locator('#log-in').click();
    await fillInLogin(page);
    await page.waitForURL(address);
    await page.locator('#log-out').waitFor();
    assert.match((await page.locator('#user').getAttribute('title')) ?? '', new RegExp(ADMIN.email));
    await page.locator('#log-out').click();
    await page.locator('#log-in').waitFor();
    assert.equal(page.url(), address);
  });

  test('the pages have the font of the service', async () => {
    const page = await pages.open();
    await page.goto(`${switchboard.url}/developers`);
    const isLoaded = 'document.fonts.ready.then((fonts) => [...fonts].some((font) => font.status === "loaded"))';
    assert.equal(await page.evaluate(isLoaded), true);
  });
});
