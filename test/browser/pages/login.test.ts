import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
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

describeInBrowser('the log-in page in a browser', () => {
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

  const open = async (path: string) => {
    await page.goto(switchboard.url + path);
    await page.locator('h1').waitFor();
  };
  const fillIn = async ({ email, password } = login) => {
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
  };
  const submit = () => page.getByRole('button', { name: 'Log in' }).click();
  /** Waits for the path and query of another page. */
  const arriveAt = (path: string) => page.waitForURL(switchboard.url + path);
  /** Attempts of the operator that another page has used up. */
  async function failToLogIn(times: number): Promise<void> {
    const options = { headers: { origin: switchboard.url }, data: { ...login, password: 'wrong' } };
    for (let tries = 0; tries < times; tries++) {
      assert.equal((await page.request.post(`${switchboard.url}/session`, options)).status(), 400);
    }
  }
  const valuesOf = () =>
    Promise.all([page.getByLabel('Email').inputValue(), page.getByLabel('Password', { exact: true }).inputValue()]);

  test('by keyboard alone, from a page that needs a session and back to it', async () => {
    await page.goto(`${switchboard.url}/account?from=mail#top`);
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await page.keyboard.type(login.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(login.password);
    await page.keyboard.press('Enter');
    await arriveAt('/account?from=mail#top');
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    assert.equal(await page.evaluate('document.cookie'), '', 'no script can read the session');
    const [cookie] = await page.context().cookies();
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, 'Strict']);
    await page.getByRole('button', { name: 'Log out' }).focus();
    await page.keyboard.press('Enter');
    await arriveAt('/login');
    assert.deepEqual(await page.context().cookies(), []);
  });

  test('shows and hides the password, and has what password managers look for', async () => {
    await open('/login');
    assert.equal(await page.evaluate('document.activeElement.name'), 'username');
    const attributes = await page
      .locator('form input')
      .evaluateAll((inputs: { name: string; type: string; autocomplete: string }[]) =>
        inputs.map(({ name, type, autocomplete }) => [name, type, autocomplete]),
      );
    assert.deepEqual(attributes, [
      ['username', 'email', 'username'],
      ['password', 'password', 'current-password'],
    ]);
    assert.equal(await page.locator('form').getAttribute('method'), 'post', 'never in an address');
    await page.getByRole('button', { name: 'Show password' }).click();
    assert.equal(await page.getByLabel('Password', { exact: true }).getAttribute('type'), 'text');
    await page.getByRole('button', { name: 'Hide password' }).click();
    await assertPageIsSound(page, 'log-in');
  });

  test('says what is missing and what is wrong at the field, and keeps what was typed', async () => {
    await open('/login');
    await submit();
    assert.equal(await page.evaluate('document.activeElement.name'), 'username');
    await page.getByText('Enter your email address.').waitFor();
    await fillIn({ email: login.email, password: 'wrong' });
    await submit();
    await page.getByText('Email or password is not correct.').waitFor();
    const input = page.getByLabel('Password', { exact: true });
    assert.equal(await input.getAttribute('aria-invalid'), 'true');
    const description = await input.getAttribute('aria-describedby');
    assert.match(await page.locator(`[id="${description}"]`).innerText(), /not correct/);
    assert.deepEqual(await valuesOf(), [login.email, 'wrong']);
    assert.equal(await page.evaluate('document.activeElement.name'), 'password');
    await assertPageIsSound(page, 'wrong password');
    // The password is selected: typing replaces it.
    await input.focus();
    await input.selectText();
    await page.keyboard.type(login.password);
    await page.keyboard.press('Enter');
    await arriveAt('/desk');
  });

  test('counts down after too many attempts, keeps what was typed, and can be used again by itself', async () => {
    page = await pages.open({}); // the clock of a browser cannot be given back
    await page.clock.install();
    await open('/login');
    const button = page.locator('form > .button');
    await failToLogIn(10);
    await fillIn({ email: login.email, password: 'wrong' });
    await page.keyboard.press('Enter');
    await page.getByText('Too many attempts.').waitFor();
    const [minutes, seconds] = (await button.innerText()).match(/\d+/g)?.map(Number) ?? [];
    const left = (minutes ?? 0) * 60 + (seconds ?? 0);
    assert.ok(left > 10 && left <= 60, await button.innerText());
    assert.equal(await page.locator('.offer-ring[data-running][data-ending]').count(), 1);
    await assertPageIsSound(page, 'limited');
    await page.clock.runFor(5_000);
    const [, later] = (await button.innerText()).match(/\d+/g)?.map(Number) ?? [];
    assert.ok((later ?? left) < left, `it counts: ${later} after ${left}`);
    assert.deepEqual(await valuesOf(), [login.email, 'wrong']);
    await page.clock.runFor((left + 1) * 1000);
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    assert.equal(await button.isEnabled(), true);
    assert.deepEqual(await valuesOf(), [login.email, 'wrong']);
  });

  test('says that the server cannot be reached, and logs in with what was typed once it can', async () => {
    await open('/login');
    await fillIn();
    await page.context().setOffline(true);
    await submit();
    await page.getByText('The server cannot be reached.').waitFor();
    assert.deepEqual(await valuesOf(), [login.email, login.password]);
    await assertPageIsSound(page, 'unreachable');
    await page.context().setOffline(false);
    await submit();
    await arriveAt('/desk');
  });

  // `test/web/shared/addresses.test.ts` has the other addresses that do not count.
  test('does not return to another website', async () => {
    await open(`/login?${new URLSearchParams({ to: '//evil.example' })}`);
    await fillIn();
    await submit();
    await arriveAt('/desk');
  });

  test('goes on at once with a session, and leads from / and /console to the desk', async () => {
    await logInContext(page.context(), switchboard.url, login);
    await page.goto(`${switchboard.url}/login?to=/developers`);
    await arriveAt('/developers');
    for (const path of ['/', '/console', '/login']) {
      await page.goto(switchboard.url + path);
      await arriveAt('/desk');
    }
  });

  test('a page whose session has ended leads to the log-in page, which says so', async () => {
    await page.goto(`${switchboard.url}/desk?tab=2`);
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    assert.equal(page.url(), `${switchboard.url}/login?to=%2Fdesk%3Ftab%3D2`);
    await open('/login?to=/desk&reason=ended');
    await page.getByText('Your session has ended.').waitFor();
  });

  test('keeps language and theme in this browser', async () => {
    await open('/login');
    await page.getByLabel('Language').selectOption('de');
    await page.getByRole('heading', { name: 'Anmelden' }).waitFor();
    assert.equal(await page.evaluate('document.documentElement.lang'), 'de');
    await page.getByRole('button', { name: 'Dunkles Design verwenden' }).click();
    await open('/login');
    assert.equal(await page.locator('h1').innerText(), 'Anmelden');
    assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
    await page.getByRole('button', { name: 'Helles Design verwenden' }).click();
    assert.equal(await page.evaluate('document.documentElement.dataset.theme'), undefined, 'as the system');
  });

  describe('with a single sign-on link', () => {
    async function issueCode(): Promise<string> {
      const admin = graphqlClient(switchboard.url, await logIn(switchboard.url));
      const rotate = 'mutation($id:ID!){operatorSsoKeyRotate(input:{id:$id}){operator{ssoKey}}}';
      const { data } = await admin.run(rotate, { id: operatorId });
      const key = encodeURIComponent(data.operatorSsoKeyRotate.operator.ssoKey);
      const response = await fetch(`${switchboard.url}/admin/login?key=${key}`, { redirect: 'manual' });
      return response.headers.get('location')?.match(/#code=([\w-]+)/)?.[1] ?? assert.fail('no code');
    }

    test('logs in, and removes the code from the address and the history', async () => {
      const addresses: string[] = [];
      page.on('framenavigated', (frame) => addresses.push(frame.url()));
      const code = await issueCode();
      await page.goto(`${switchboard.url}/login#code=${code}&to=%2Fdesk`);
      await arriveAt('/desk');
      await page.goBack();
      assert.ok(!page.url().includes(code));
      // Used twice.
      await page.context().clearCookies();
      await page.goto(`${switchboard.url}/login#code=${code}&to=%2Fdesk`);
      await page.getByText('The link no longer works.').waitFor();
      assert.equal(page.url(), `${switchboard.url}/login`);
    });

    test('asks before it replaces the session of the browser', async () => {
      await logInContext(page.context(), switchboard.url, login);
      const [before] = await page.context().cookies();
      await open(`/login#code=${await issueCode()}&to=%2Fdesk`);
      await page.getByRole('heading', { name: 'Log in with this link?' }).waitFor();
      await assertPageIsSound(page, 'replace');
      await page.keyboard.press('Enter');
      await arriveAt('/desk');
      assert.equal((await page.context().cookies())[0]?.value, before?.value, 'the focus is on staying');
      await open(`/login#code=${await issueCode()}&to=%2Fdesk`);
      await page.getByRole('button', { name: 'Log in with the link' }).click();
      await arriveAt('/desk');
      assert.notEqual((await page.context().cookies())[0]?.value, before?.value);
    });
  });
});
