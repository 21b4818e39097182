import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { describeInBrowser } from '../../support/browser/describe-in-browser.ts';
import { fillInLogin, logInContext } from '../../support/browser/log-in.ts';
import { PagePool } from '../../support/browser/page-pool.ts';
import { ADMIN, type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

const AVAILABILITY_SUBSCRIPTION = 'subscription Free { skillAvailability(id: "1") { chat { isAvailable } } }';

describeInBrowser('the GraphiQL page in a browser', () => {
  let switchboard: Switchboard;
  let pages: PagePool;
  let context: BrowserContext;
  let page: Page;

  before(async () => {
    switchboard = await startSwitchboard({ demo: true });
    pages = new PagePool({
      hosts: [new URL(switchboard.url).host],
      // GraphiQL shows these to the user and also throws them.
      expectedErrors: /^(Socket closed with event|CloseEvent$|Array\(1\)$)/,
    });
  });
  after(async () => {
    await pages?.end();
    await switchboard?.stop();
  });

  beforeEach(async () => {
    page = await pages.open();
    context = page.context();
  });
  afterEach(() => pages.closeAll());

  async function open(): Promise<void> {
    await logInContext(context, switchboard.url);
    await page.goto(`${switchboard.url}/graphiql`);
  }

  /** The editor updates with a delay: once it has, the tab shows the operation name. */
  async function run(document: string): Promise<void> {
    await page.locator('.graphiql-query-editor .CodeMirror').click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText(document);
    await page.getByRole('tab', { name: document.split(' ')[1] ?? '', exact: true }).waitFor();
    await page.getByRole('button', { name: /^Execute query/ }).click();
  }

  const waitForResult = (text: string) => page.locator('.result-window').filter({ hasText: text }).waitFor();
  const waitForAlert = (text: string) => page.getByRole('alert').filter({ hasText: text }).waitFor();
  test('login leads to GraphiQL, a query shows its result, and a reload needs no new login', async () => {
    await page.goto(`${switchboard.url}/graphiql`);
    await fillInLogin(page);
    await page.waitForURL(`${switchboard.url}/graphiql`);
    // Before the editor has loaded, the button has nothing to run.
    await page.locator('.graphiql-query-editor .CodeMirror').filter({ hasText: 'totalCount' }).waitFor();
    await page.getByRole('button', { name: /^Execute query/ }).click();
    await waitForResult('"totalCount": 47');
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.getByText('SkillAvailability', { exact: true }).waitFor();
    await page.reload();
    await run('query Email { viewer { email } }');
    await waitForResult(`"email": "${ADMIN.email}"`);
  });

  test('a subscription shows its results', async () => {
    await open();
    await run(AVAILABILITY_SUBSCRIPTION);
    await waitForResult('"isAvailable"');
  });

  test('dialogs open without violating the Content Security Policy', async () => {
    await open();
    await page.getByRole('button', { name: 'Open settings dialog' }).click();
    await page.getByRole('dialog').getByText('Theme').waitFor();
  });

  test('the bar shows who is logged in; logout ends the session and leaves nothing in the browser', async () => {
    await open();
    await run('query Pseudo { viewer { pseudo } }');
    await waitForResult('"pseudo"');
    assert.match((await page.locator('#user').getAttribute('href')) ?? '', /^\/account\?from=%2Fgraphiql$/);
    const cookies = await context.cookies();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.waitForURL(/\/login\?to=%2Fgraphiql$/);
    // GraphiQL stores typed text after half a second, with the page's timers, which fire in order.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 1000))');
    assert.equal(await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])'), '[{},{}]');
    assert.deepEqual(await context.cookies(), []);
    await context.addCookies(cookies);
    await page.goto(`${switchboard.url}/graphiql`);
    await page.waitForURL(/\/login/);
  });

  test('when the session ends, the page says so, and the text is there after the next login', async () => {
    await open();
    await run(AVAILABILITY_SUBSCRIPTION);
    await waitForResult('"isAvailable"');
    // Logged out by another tab: the open subscription ends.
    await context.request.delete(`${switchboard.url}/session`, { headers: { origin: switchboard.url } });
    await waitForAlert('Your session has ended.');
    await page.getByRole('alert').getByRole('link', { name: 'Log in' }).click();
    await fillInLogin(page);
    await page.waitForURL(`${switchboard.url}/graphiql`);
    await page.locator('.graphiql-query-editor').filter({ hasText: 'subscription Free' }).waitFor();
  });

  test('an API key in the headers is used instead of the session, over HTTP and WebSocket', async () => {
    await open();
    await page.getByRole('button', { name: 'Headers' }).click();
    await page.locator('.graphiql-editor-tool .CodeMirror:visible').click();
    await page.keyboard.insertText(JSON.stringify({ 'X-API-Key': switchboard.key }));
    await run('query Viewer { viewer { id } }');
    await waitForResult('FORBIDDEN');
    const sent: string[] = [];
    page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => sent.push(String(payload))));
    await run(AVAILABILITY_SUBSCRIPTION);
    await waitForResult('"isAvailable"');
    assert.equal(sent.filter((text) => text.includes(switchboard.key)).length, 1, sent.join('\n'));
    await page.getByRole('button', { name: /^Stop query/ }).click();
    await page.locator('.graphiql-editor-tool .CodeMirror:visible').click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText(JSON.stringify({ Authorization: 'Bearer wrong' }));
    await run('query Wrong { viewer { id } }');
    await waitForResult('UNAUTHENTICATED');
    assert.equal(await page.locator('#ended').isVisible(), false, 'a wrong token does not end the session');
  });

  test('another operator begins with an empty editor', async () => {
    await open();
    await run('query Pseudo { viewer { pseudo } }');
    await waitForResult('"pseudo"');
    await page.waitForFunction(() => Object.values(sessionStorage).some((text) => text.includes('query Pseudo')));
    await page.evaluate('sessionStorage.setItem("graphiql-owner", "another")');
    await page.reload();
    await page.locator('.graphiql-query-editor .CodeMirror').filter({ hasText: 'totalCount' }).waitFor();
  });
});
