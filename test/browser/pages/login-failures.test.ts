import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertPageIsSound } from '../../support/browser/assert-page.ts';
import { describeInBrowser } from '../../support/browser/describe-in-browser.ts';
import { type Login, logInContext } from '../../support/browser/log-in.ts';
import { PagePool } from '../../support/browser/page-pool.ts';
import { graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { restClient } from '../../support/clients/rest.ts';
import { createOperator } from '../../support/fixtures/resources.ts';
import { PASSWORD } from '../../support/fixtures/site.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

describeInBrowser('what can go wrong before and at the log-in, in a browser', () => {
  let switchboard: Switchboard;
  let pages: PagePool;
  let page: Page;
  let operatorId: number;
  let login: Login;
  before(async () => {
    switchboard = await startSwitchboard();
    pages = new PagePool({ hosts: [new URL(switchboard.url).host] });
  });
  after(async () => {
    await pages?.end();
    await switchboard?.stop();
  });
  // Each test has its own operator, and so its own attempts.
  beforeEach(async () => {
    const { id, email } = await createOperator(restClient(switchboard.url, switchboard.key), { password: PASSWORD });
    operatorId = id;
    login = { email, password: PASSWORD };
    page = await pages.open();
  });
  afterEach(() => pages.closeAll());

  const arriveAt = (path: string) => page.waitForURL(switchboard.url + path);
  const focusedText = () => page.evaluate('document.activeElement.textContent');

  async function readSsoKey(): Promise<string> {
    const admin = graphqlClient(switchboard.url, await logIn(switchboard.url));
    const rotate = 'mutation($id:ID!){operatorSsoKeyRotate(input:{id:$id}){operator{ssoKey}}}';
    const { data } = await admin.run(rotate, { id: operatorId });
    return encodeURIComponent(data.operatorSsoKeyRotate.operator.ssoKey);
  }

  test('a link with a key that was replaced leads to the log-in page, which says so in the language of the browser', async () => {
    page = await pages.open({ locale: 'de-DE' });
    await page.goto(`${switchboard.url}/admin/login?key=abc`);
    await page.getByText('Der Link ist ungültig.').waitFor();
    await page.goto(`${switchboard.url}/admin/login?key=${await readSsoKey()}&to=//evil.example`);
    await page.getByText('Der Link führt zu keiner Seite von Switchboard.').waitFor();
    assert.equal(new URL(page.url()).host, new URL(switchboard.url).host);
    await assertPageIsSound(page, 'link not valid');
  });

  test('a link stays good while the service does not answer', async () => {
    const isLogIn = (method: string) => method === 'POST';
    await page.route('**/session', (route) =>
      isLogIn(route.request().method()) ? route.fulfill({ status: 503, json: {} }) : route.continue(),
    );
    await page.goto(`${switchboard.url}/admin/login?key=${await readSsoKey()}`);
    await page.getByText('The server cannot be reached.').waitFor();
    await assertPageIsSound(page, 'link without an answer');
    await page.unroute('**/session');
    await page.getByRole('button', { name: 'Try again' }).click();
    await arriveAt('/desk');
  });

  test('a link does not log in while it is unknown who is logged in', async () => {
    await logInContext(page.context(), switchboard.url, login);
    const [before] = await page.context().cookies();
    const key = await readSsoKey();
    await logInContext(page.context(), switchboard.url, login);
    const [own] = await page.context().cookies();
    assert.notEqual(own?.value, before?.value);
    await page.route('**/session', (route) => route.abort());
    await page.goto(`${switchboard.url}/admin/login?key=${key}`);
    await page.getByText('The server cannot be reached.').waitFor();
    await page.unroute('**/session');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Log in with this link?' }).waitFor();
    assert.equal((await page.context().cookies())[0]?.value, own?.value);
  });

  test('a script of the page that does not arrive is said, and can be loaded again', async () => {
    await page.route(/\/assets\/login-\w+\.js$/, (route) => route.fulfill({ status: 503, body: '' }));
    await page.goto(`${switchboard.url}/login`);
    await page.getByText('A part of the page could not be loaded.').waitFor();
    await page.unroute(/\/assets\/login-\w+\.js$/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
  });

  test('the pages keep the language of the browser until someone chooses another', async () => {
    page = await pages.open({ locale: 'fr-FR' });
    await page.goto(`${switchboard.url}/login?to=%2Faccount`);
    await page.getByLabel('E-mail').fill(login.email);
    await page.getByLabel('Mot de passe', { exact: true }).fill(login.password);
    await page.getByRole('button', { name: 'Se connecter' }).click();
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    await page.getByRole('button', { name: 'Se déconnecter' }).waitFor();
  });

  test('the button keeps the focus while one has to wait, and the wait ends by the time of the service', async () => {
    page = await pages.open({}); // the clock of a browser cannot be given back
    await page.clock.install();
    await page.goto(`${switchboard.url}/login`);
    const waitForAnswer = () => page.waitForResponse((response) => response.request().method() === 'POST');
    for (let tries = 0; tries < 10; tries++) {
      const options = { headers: { origin: switchboard.url }, data: { ...login, password: `wrong ${tries}` } };
      assert.equal((await page.request.post(`${switchboard.url}/session`, options)).status(), 400);
    }
    await page.getByLabel('Email').fill(login.email);
    await page.getByLabel('Password', { exact: true }).fill('wrong again');
    const button = page.locator('form button[type=submit]');
    await button.focus();
    const limited = waitForAnswer();
    await page.keyboard.press('Enter');
    const seconds = Number((await limited).headers()['retry-after']);
    await page.getByText('Too many attempts.').waitFor();
    assert.match(String(await focusedText()), /^Try again in/);
    // One second before the end it still waits.
    await page.clock.fastForward((seconds - 2) * 1000);
    await page.locator('form button', { hasText: 'Try again in' }).waitFor();
    await page.clock.fastForward(3000);
    await page.getByRole('button', { name: 'Log in', exact: true }).waitFor();
  });

  test('a whole link opened in a tab that said a part is missing is read', async () => {
    await page.goto(`${switchboard.url}/password`);
    await page.getByText('a part of it is missing', { exact: false }).waitFor();
    await page.evaluate("location.hash = '#token=not-a-token'");
    await page.getByText('used', { exact: false }).waitFor();
    assert.ok(!page.url().includes('token'));
    await page.reload();
    await page.getByText('used', { exact: false }).waitFor();
  });
});
