import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { ADMIN, type Switchboard, startSwitchboard } from '../support/processes/switchboard.ts';
import { PATIENCE_MS } from '../support/waiting/until.ts';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const executablePath = PLACES.find((place) => existsSync(place));
const skip = executablePath === undefined && `no Chromium on this machine: looked for ${PLACES.join(', ')}`;

const FREE = 'subscription Free { skillAvailability(id: "1") { chat { isAvailable } } }';

describe('the GraphiQL page in a browser', { skip }, () => {
  let switchboard: Switchboard;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  /** Requests to other hosts, scripts that failed, and what the policy of the page forbade. */
  let offences: string[];

  before(async () => {
    switchboard = await startSwitchboard({ demo: true });
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ARGUMENTS, timeout: PATIENCE_MS });
  });
  after(async () => {
    await browser?.close();
    await switchboard?.stop();
  });

  beforeEach(async () => {
    offences = [];
    context = await browser.newContext();
    page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    watch(page);
    await page.goto(`${switchboard.url}/graphiql`);
  });
  afterEach(async () => {
    await context.close();
    assert.deepEqual(offences, []);
  });

  function watch(watched: Page): void {
    const { host } = new URL(switchboard.url);
    const look = (url: string) => {
      if (!url.startsWith('data:') && new URL(url).host !== host) offences.push(`asked another host: ${url}`);
    };
    watched.on('request', (request) => look(request.url()));
    watched.on('websocket', (socket) => look(socket.url()));
    watched.on('pageerror', (error) => {
      // GraphiQL shows these to the user, and throws them besides.
      if (!/^(Socket closed with event|CloseEvent$)/.test(error.message)) offences.push(error.message);
    });
    watched.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) offences.push(message.text());
    });
  }

  async function logIn({ email, password } = ADMIN): Promise<void> {
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
  }

  /** The editor follows what is typed a moment later: the tab then has the name of the operation. */
  async function run(document: string): Promise<void> {
    await page.locator('.graphiql-query-editor .CodeMirror').click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText(document);
    await page.getByRole('tab', { name: document.split(' ')[1] ?? '', exact: true }).waitFor();
    await page.getByRole('button', { name: /^Execute query/ }).click();
  }

  const sees = (text: string) => page.locator('.result-window').filter({ hasText: text }).waitFor();
  const problem = (text: string) => page.getByRole('alert').filter({ hasText: text }).waitFor();
  const ssoKeyOf = async (id: string): Promise<string> => {
    const headers = { 'X-API-Key': switchboard.key };
    const response = await fetch(`${switchboard.url}/api/2/operator/${id}`, { headers });
    return ((await response.json()) as { data: { sso_key: string } }).data.sso_key;
  };
  const sessionKept = () => page.evaluate('sessionStorage.getItem("switchboard:session")');

  test('a login leads to GraphiQL, a query to its result, and a reload needs no other login', async () => {
    await logIn();
    await page.getByRole('button', { name: /^Execute query/ }).click();
    await sees('"totalCount": 41');
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.getByText('SkillAvailability', { exact: true }).waitFor();
    await page.reload();
    await run('query Email { viewer { email } }');
    await sees(`"email": "${ADMIN.email}"`);
  });

  test('a subscription shows what comes over the socket', async () => {
    await logIn();
    await run(FREE);
    await sees('"isAvailable"');
  });

  test('its dialogs open within the policy', async () => {
    await logIn();
    await page.getByRole('button', { name: 'Open settings dialog' }).click();
    await page.getByRole('dialog').getByText('Theme').waitFor();
  });

  test('a wrong password and too many logins are said in words', async () => {
    const nobody = { email: 'nobody@example.com', password: 'wrong' };
    await logIn(nobody);
    await problem('The e-mail or the password is wrong.');
    const body = new URLSearchParams({ grant_type: 'password', username: nobody.email, password: nobody.password });
    for (let logins = 0; logins < 10; logins += 1) {
      await fetch(`${switchboard.url}/oauth2/token`, { method: 'POST', body });
    }
    await logIn(nobody);
    await problem('Too many logins. Please try again in');
  });

  test('the log-out ends the token on the server and leaves nothing in the browser', async () => {
    await logIn();
    await run('query Pseudo { viewer { pseudo } }');
    await sees('"pseudo"');
    const { token } = JSON.parse(String(await sessionKept()));
    const revoked = page.waitForResponse((response) => response.url().endsWith('/oauth2/revoke'));
    await page.getByRole('button', { name: 'Log out' }).click();
    await revoked;
    await page.getByLabel('Password').waitFor();
    // GraphiQL writes down what was typed after half a second, by the timers of the page, which keep their order.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 1000))');
    const check = await fetch(`${switchboard.url}/_authenticated`, { headers: { Authorization: `Bearer ${token}` } });
    assert.equal(check.status, 401);
    assert.equal(await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])'), '[{},{}]');
  });

  test('the link of a single sign-on leads to GraphiQL, and neither key nor code stays in the address', async () => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url(), request.headers().referer ?? ''));
    const key = await ssoKeyOf('2');
    const link = `${switchboard.url}/admin/login?key=${key}`;
    await page.goto(link);
    await page.getByRole('button', { name: 'Log out' }).waitFor();
    assert.equal(page.url(), `${switchboard.url}/graphiql`);
    await run('query Me { viewer { id } }');
    await sees('"id": "2"');
    assert.equal(asked.filter((text) => text.includes(key.split('.')[2] ?? '')).length, 1, 'the key was sent once');
    assert.equal(asked.filter((text) => text.includes('code=')).length, 0);
    await page.reload();
    await page.getByRole('button', { name: 'Log out' }).waitFor();
    // Somebody else's link takes the place of the session.
    await page.goto(`${switchboard.url}/admin/login?key=${await ssoKeyOf('3')}`);
    await run('query Other { viewer { id } }');
    await sees('"id": "3"');
  });

  test('a code that was used before is said in words', async () => {
    const response = await fetch(`${switchboard.url}/admin/login?key=${await ssoKeyOf('2')}`, { redirect: 'manual' });
    const address = `${switchboard.url}${response.headers.get('location')}`;
    await page.goto(address);
    await page.getByRole('button', { name: 'Log out' }).waitFor();
    await page.goto(address);
    await problem('The link was used before, or is too old.');
    assert.equal(await sessionKept(), null);
  });

  test('a token that ended leads back to the login', async () => {
    await logIn();
    await page.getByRole('button', { name: 'Log out' }).waitFor();
    const { token } = JSON.parse(String(await sessionKept()));
    await fetch(`${switchboard.url}/oauth2/revoke`, { method: 'POST', body: new URLSearchParams({ token }) });
    await run(FREE);
    await problem('Your session has ended.');
    assert.equal(await sessionKept(), null);
  });
});
