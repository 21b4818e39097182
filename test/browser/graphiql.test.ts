import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchChromium, skipWithoutBrowser } from '../support/browser/chromium.ts';
import { recordViolations } from '../support/browser/violations.ts';
import { ADMIN, type Switchboard, startSwitchboard } from '../support/processes/switchboard.ts';
import { WAIT_TIMEOUT_MS } from '../support/waiting/wait.ts';

const AVAILABILITY_SUBSCRIPTION = 'subscription Free { skillAvailability(id: "1") { chat { isAvailable } } }';

describe('the GraphiQL page in a browser', { skip: skipWithoutBrowser }, () => {
  let switchboard: Switchboard;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let violations: string[];

  before(async () => {
    switchboard = await startSwitchboard({ demo: true });
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await switchboard?.stop();
  });

  beforeEach(async () => {
    context = await browser.newContext();
    page = await context.newPage();
    page.setDefaultTimeout(WAIT_TIMEOUT_MS);
    violations = recordViolations(page, {
      hosts: [new URL(switchboard.url).host],
      // GraphiQL shows these to the user and also throws them.
      expectedErrors: /^(Socket closed with event|CloseEvent$)/,
    });
    await page.goto(`${switchboard.url}/graphiql`);
  });
  afterEach(async () => {
    await context.close();
    assert.deepEqual(violations, []);
  });

  async function logIn({ email, password } = ADMIN): Promise<void> {
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
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
  /** The address of GraphiQL with a single sign-on code of the operator. */
  const createCodeAddress = async (id: string): Promise<string> => {
    const link = `${switchboard.url}/admin/login?key=${await loadSsoKey(id)}`;
    const { headers } = await fetch(link, { redirect: 'manual' });
    const [, code] = headers.get('location')?.match(/#code=([\w-]+)/) ?? [];
    return `${switchboard.url}/graphiql#code=${code}`;
  };
  const loadSsoKey = async (id: string): Promise<string> => {
    const headers = { 'X-API-Key': switchboard.key };
    const response = await fetch(`${switchboard.url}/api/2/operator/${id}`, { headers });
    return ((await response.json()) as { data: { sso_key: string } }).data.sso_key;
  };
  const readStoredSession = () => page.evaluate('sessionStorage.getItem("switchboard:session")');

  test('login opens GraphiQL, a query shows its result, and a reload needs no new login', async () => {
    await logIn();
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
    await logIn();
    await run(AVAILABILITY_SUBSCRIPTION);
    await waitForResult('"isAvailable"');
  });

  test('dialogs open without violating the Content Security Policy', async () => {
    await logIn();
    await page.getByRole('button', { name: 'Open settings dialog' }).click();
    await page.getByRole('dialog').getByText('Theme').waitFor();
  });

  test('a wrong password and too many logins show a message', async () => {
    const unknown = { email: 'unknown@example.com', password: 'wrong' };
    await logIn(unknown);
    await waitForAlert('The e-mail or the password is wrong.');
    const body = new URLSearchParams({ grant_type: 'password', username: unknown.email, password: unknown.password });
    for (let logins = 0; logins < 10; logins += 1) {
      await fetch(`${switchboard.url}/oauth2/token`, { method: 'POST', body });
    }
    await logIn(unknown);
    await waitForAlert('Too many logins. Please try again in');
  });

  test('logout revokes the token on the server and leaves nothing in the browser', async () => {
    await logIn();
    await run('query Pseudo { viewer { pseudo } }');
    await waitForResult('"pseudo"');
    const { token } = JSON.parse(String(await readStoredSession()));
    const revoked = page.waitForResponse((response) => response.url().endsWith('/oauth2/revoke'));
    await page.getByRole('button', { name: 'Log out' }).click();
    await revoked;
    await page.getByLabel('Password').waitFor();
    // GraphiQL stores typed text after half a second, with the page's timers, which fire in order.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 1000))');
    const check = await fetch(`${switchboard.url}/_authenticated`, { headers: { Authorization: `Bearer ${token}` } });
    assert.equal(check.status, 401);
    assert.equal(await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])'), '[{},{}]');
  });

  test('a single sign-on code opens GraphiQL, and does not stay in the URL', async () => {
    const sentTexts: string[] = [];
    page.on('request', (request) => sentTexts.push(request.url(), request.headers().referer ?? ''));
    await page.goto(await createCodeAddress('2'));
    await page.getByRole('button', { name: 'Log out' }).waitFor();
    assert.equal(page.url(), `${switchboard.url}/graphiql`);
    await run('query Me { viewer { id } }');
    await waitForResult('"id": "2"');
    assert.equal(sentTexts.filter((text) => text.includes('code=')).length, 0);
    await page.reload();
    await page.getByRole('button', { name: 'Log out' }).waitFor();
    // Another operator's link replaces the session.
    await page.goto(await createCodeAddress('3'));
    await run('query Other { viewer { id } }');
    await waitForResult('"id": "3"');
  });

  test('a used code shows a message', async () => {
    const address = await createCodeAddress('2');
    await page.goto(address);
    await page.getByRole('button', { name: 'Log out' }).waitFor();
    await page.goto(address);
    await waitForAlert('The link was already used or has expired.');
    assert.equal(await readStoredSession(), null);
  });

  test('a revoked token leads back to the login', async () => {
    const introspection = page.waitForResponse((response) => response.url().endsWith('/graphql'));
    await logIn();
    await introspection;
    await page.locator('.graphiql-query-editor .CodeMirror').waitFor();
    const { token } = JSON.parse(String(await readStoredSession()));
    await fetch(`${switchboard.url}/oauth2/revoke`, { method: 'POST', body: new URLSearchParams({ token }) });
    await run(AVAILABILITY_SUBSCRIPTION);
    await waitForAlert('Your session has ended.');
    assert.equal(await readStoredSession(), null);
  });
});
