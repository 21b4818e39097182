import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertFits, assertIsAccessible, LANGUAGES } from '../../support/browser/assert-page.ts';
import { describeInBrowser } from '../../support/browser/describe-in-browser.ts';
import { fillInLogin, type Login, logInContext } from '../../support/browser/log-in.ts';
import { PagePool } from '../../support/browser/page-pool.ts';
import { restClient } from '../../support/clients/rest.ts';
import { createOperator, createResource } from '../../support/fixtures/resources.ts';
import { PASSWORD } from '../../support/fixtures/site.ts';
import { computeCurrentTotp } from '../../support/fixtures/two-factor.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

const NEW_PASSWORD = 'another horse, another battery';
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0';

describeInBrowser('the account page in a browser', () => {
  let switchboard: Switchboard;
  let pages: PagePool;
  let page: Page;
  let login: Login;
  before(async () => {
    switchboard = await startSwitchboard();
    pages = new PagePool({ hosts: [new URL(switchboard.url).host], expectedErrors: /^Socket closed/ });
  });
  after(async () => {
    await pages?.end();
    await switchboard?.stop();
  });
  // Each test has its own operator, and so its own attempts and sessions.
  beforeEach(async () => {
    const rest = restClient(switchboard.url, switchboard.key);
    const { email } = await createOperator(rest, { password: PASSWORD, roles: ['admin'] });
    login = { email, password: PASSWORD };
    page = await openBrowser('/account');
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
  });
  afterEach(() => pages.closeAll());

  /** Another browser of the operator, at a page. */
  async function openBrowser(path: string, userAgent?: string): Promise<Page> {
    const opened = await pages.open(userAgent === undefined ? undefined : { userAgent });
    await logInContext(opened.context(), switchboard.url, login);
    await opened.goto(switchboard.url + path);
    return opened;
  }

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const currentPassword = () => page.getByLabel('Current password').first();
  const newPassword = () => page.getByLabel('New password', { exact: true });

  async function changePassword(current: string, next: string): Promise<void> {
    await currentPassword().fill(current);
    await newPassword().fill(next);
    await button('Change password').click();
  }

  /** Returns the secret of the app, and the recovery codes. */
  async function setUpTwoFactor(): Promise<{ secret: string; codes: string[] }> {
    await button('Set up two-factor').click();
    await page.getByLabel('Current password').last().fill(login.password);
    await button('Continue').click();
    const secret = ((await page.locator('.app-secret code').textContent()) ?? '').replaceAll(' ', '');
    await page.getByLabel('Code', { exact: true }).fill(computeCurrentTotp(secret));
    await button('Turn on two-factor').click();
    await page.locator('.recovery-codes code').nth(9).waitFor();
    return { secret, codes: await page.locator('.recovery-codes code').allTextContents() };
  }

  test('a new password: what is wrong is said at the field, and nothing typed is lost', async () => {
    await changePassword('wrong', 'short');
    await page.getByText('The password needs at least 10 characters.').waitFor();
    await newPassword().fill(NEW_PASSWORD);
    await button('Change password').click();
    await page.getByText('This is not your current password.').waitFor();
    await currentPassword().fill(login.password);
    await newPassword().fill('password1234');
    await button('Change password').click();
    await page.getByText('Many people use this password').waitFor();

    await newPassword().fill(NEW_PASSWORD);
    await page.context().setOffline(true);
    await button('Change password').click();
    await page.getByText('The server cannot be reached.').waitFor();
    assert.deepEqual(
      [await currentPassword().inputValue(), await newPassword().inputValue()],
      [login.password, NEW_PASSWORD],
    );
    await page.context().setOffline(false);
    const other = await openBrowser('/desk');
    await button('Change password').click();
    await page.getByText('Your password is changed.').waitFor();
    assert.deepEqual([await currentPassword().inputValue(), await newPassword().inputValue()], ['', '']);

    // This browser has another session; the other browser has none.
    await page.reload();
    await page.getByText('This browser').waitFor();
    await other.reload();
    await other.waitForURL(/\/login/);
    await logInContext(other.context(), switchboard.url, { ...login, password: NEW_PASSWORD });
  });

  test('two-factor: set up, log in with it, use a recovery code, make new ones, turn it off', async () => {
    const { secret, codes } = await setUpTwoFactor();
    await button('Continue').click();
    await page.getByText('Save the codes first').waitFor();
    await page.getByLabel('I have saved the codes').check();
    await button('Continue').click();
    await page.getByText('Recovery codes left: 10').waitFor();

    // The code of this moment is used: the next one counts as well.
    await changePassword(login.password, NEW_PASSWORD);
    await page.waitForURL(/\/login\?.*reason=password/);
    await page.getByText('Your password is changed.').waitFor();
    await fillInLogin(page, { ...login, password: NEW_PASSWORD });
    await page.getByLabel('Code', { exact: true }).fill(computeCurrentTotp(secret, 1));
    await button('Continue').click();
    await page.waitForURL(`${switchboard.url}/account`);

    const prove = async (code: string, action: string) => {
      await page.getByLabel('Current password').last().fill(NEW_PASSWORD);
      await page.getByLabel('Code', { exact: true }).fill(code);
      await button(action).last().click();
    };
    await button('New recovery codes').click();
    await prove(codes[0] ?? '', 'New recovery codes');
    await page.locator('.recovery-codes code').first().waitFor();
    const [newCode = ''] = await page.locator('.recovery-codes code').allTextContents();
    await page.getByLabel('I have saved the codes').check();
    await button('Continue').click();

    await button('Turn off two-factor').click();
    await prove(codes[1] ?? '', 'Turn off two-factor');
    await page.getByText('The code is not correct, or it was already used.').waitFor();
    await page.getByLabel('Code', { exact: true }).fill(newCode);
    await button('Turn off two-factor').last().click();
    await page.getByText('Two-factor is off.').waitFor();
    await button('Set up two-factor').waitFor();
  });

  test('the session of another browser is ended, and ends there', async () => {
    const skill = await createResource(restClient(switchboard.url, switchboard.key), 'skill', { name: 'Returns' });
    const other = await openBrowser('/graphiql', FIREFOX);
    await other.locator('.graphiql-query-editor .CodeMirror').click();
    await other.keyboard.press('ControlOrMeta+A');
    await other.keyboard.insertText(`subscription Free { skillAvailability(id: "${skill}") { chat { isAvailable } } }`);
    await other.getByRole('tab', { name: 'Free', exact: true }).waitFor();
    await other.getByRole('button', { name: /^Execute query/ }).click();
    await other.locator('.result-window').filter({ hasText: '"isAvailable"' }).waitFor();
    await page.reload();
    const row = page.getByRole('listitem').filter({ hasText: 'Firefox on Windows' });
    assert.equal(await row.getByText('Firefox on Windows').getAttribute('title'), FIREFOX);
    await row.getByRole('button').click();
    await page.getByRole('dialog').getByText('It is logged out within a second.').waitFor();
    await button('End session').click();
    await page.getByText('The session of Firefox on Windows has ended.').waitFor();
    await other.getByRole('alert').filter({ hasText: 'Your session has ended.' }).waitFor();
    assert.equal(await row.count(), 0);
  });

  test('by keyboard alone: all other sessions are ended', async () => {
    const other = await openBrowser('/account', FIREFOX);
    await other.getByText('This browser').waitFor();
    await page.reload();
    const endOthers = button('End all others');
    await endOthers.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    const focused = () => page.evaluate('document.activeElement.textContent');
    assert.equal(await focused(), 'Cancel');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    assert.equal(await focused(), 'End all others');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('All other sessions have ended.').waitFor();
    await button('No other sessions').waitFor();
    assert.equal(await focused(), 'Sessions');
    // A form that is open there says it, and keeps what was typed.
    await other.getByLabel('Current password').fill(login.password);
    await other.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD);
    await other.getByRole('button', { name: 'Change password' }).click();
    await other.getByText('Your session has ended.').waitFor();
    assert.equal(await other.getByLabel('New password', { exact: true }).inputValue(), NEW_PASSWORD);
  });

  test('failed log-ins are listed', async () => {
    await page.getByText('None in the last 30 days.').waitFor();
    const headers = { origin: switchboard.url, 'user-agent': FIREFOX };
    await page.request.post(`${switchboard.url}/session`, { headers, data: { ...login, password: 'wrong' } });
    await page.reload();
    const attempts = page.getByRole('region', { name: 'Failed log-ins' });
    await attempts.getByText('Firefox on Windows').waitFor();
    await attempts.getByText('Wrong password').waitFor();
  });

  test('theme and language survive a reload, and come from the account in another browser', async () => {
    const read = (of: Page) =>
      of.evaluate('[document.documentElement.lang, document.documentElement.dataset.theme].join()');
    await page.getByText('Dark', { exact: true }).click();
    const saved = page.waitForResponse((response) => response.url().endsWith('/graphql'));
    await page.getByLabel('Language', { exact: true }).selectOption('de');
    await page.getByRole('heading', { name: 'Sitzungen' }).waitFor();
    await saved;
    await page.waitForLoadState('networkidle');
    await page.reload();
    await page.getByRole('heading', { name: 'Sitzungen' }).waitFor();
    assert.equal(await read(page), 'de,dark');
    const other = await openBrowser('/account');
    await other.getByRole('heading', { name: 'Sitzungen' }).waitFor();
    assert.equal(await read(other), 'de,dark');
  });

  test('the way back leads to an own page only', async () => {
    for (const [from, to] of [
      ['/graphiql', '/graphiql'],
      ['//evil.example', '/desk'],
    ]) {
      await page.goto(`${switchboard.url}/account?${new URLSearchParams({ from: from ?? '' })}`);
      assert.equal(await page.getByRole('link', { name: 'Back' }).getAttribute('href'), to);
    }
  });

  test('every state is accessible in both themes, and fits in four languages from 320 pixels', async () => {
    await openBrowser('/desk', FIREFOX);
    await page.reload();
    await button(/^End:/).click();
    await assertIsAccessible(page, 'end', '#page');
    await page.keyboard.press('Escape');
    await button('Change password').click();
    await button('Set up two-factor').click();
    await button('Continue').click();
    await assertIsAccessible(page, 'errors', '#page');
    for (const language of LANGUAGES) {
      await page.locator('select').selectOption(language);
      await assertFits(page, `errors, ${language}`, '#page', language);
    }
    await page.getByLabel('Current password').last().fill(login.password);
    await button('Continue').click();
    const secret = ((await page.locator('.app-secret code').textContent()) ?? '').replaceAll(' ', '');
    await assertIsAccessible(page, 'set-up', '#page');
    await assertFits(page, 'set-up');
    await page.getByLabel('Code', { exact: true }).fill(computeCurrentTotp(secret));
    await button('Turn on two-factor').click();
    await page.getByLabel('I have saved the codes').check();
    await assertIsAccessible(page, 'codes', '#page');
    await assertFits(page, 'codes');
    await button('Continue').click();
    for (const language of LANGUAGES) {
      await page.locator('select').selectOption(language);
      await assertFits(page, `two-factor is on, ${language}`, '#page', language);
    }
    await button('Turn off two-factor').click();
    await assertIsAccessible(page, 'turn off', '#page');
    await assertFits(page, 'turn off');
  });
});
