import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { findAccessibilityProblems } from '../support/browser/accessibility.ts';
import { launchChromium, skipWithoutBrowser } from '../support/browser/chromium.ts';
import { fillInLogin, logInContext } from '../support/browser/log-in.ts';
import { findPageOverflow } from '../support/browser/page-overflow.ts';
import { recordViolations } from '../support/browser/violations.ts';
import { restClient } from '../support/clients/rest.ts';
import { createResource } from '../support/fixtures/resources.ts';
import { computeCurrentTotp } from '../support/fixtures/two-factor.ts';
import { ADMIN, type Switchboard, startSwitchboard } from '../support/processes/switchboard.ts';
import { WAIT_TIMEOUT_MS } from '../support/waiting/wait.ts';

const NEW_PASSWORD = 'another horse, another battery';
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0';
const LANGUAGES = ['de', 'es', 'fr', 'en'];

describe('the account page in a browser', { skip: skipWithoutBrowser }, () => {
  let switchboard: Switchboard;
  let browser: Browser;
  let contexts: BrowserContext[];
  let violations: string[][];
  let page: Page;
  before(async () => {
    browser = await launchChromium();
  });
  after(() => browser?.close());
  // Each test has its own attempts and sessions.
  beforeEach(async () => {
    switchboard = await startSwitchboard();
    contexts = [];
    violations = [];
    page = await openBrowser('/account');
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
  });
  afterEach(async () => {
    for (const context of contexts) await context.close();
    await switchboard?.stop();
    assert.deepEqual(violations.flat(), []);
  });

  /** Another browser of the admin, at a page. */
  async function openBrowser(path: string, userAgent?: string): Promise<Page> {
    const context = await browser.newContext({ locale: 'en-GB', ...(userAgent && { userAgent }) });
    contexts.push(context);
    await logInContext(context, switchboard.url);
    const opened = await context.newPage();
    opened.setDefaultTimeout(WAIT_TIMEOUT_MS);
    violations.push(
      recordViolations(opened, { hosts: [new URL(switchboard.url).host], expectedErrors: /^Socket closed/ }),
    );
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
    await page.getByLabel('Current password').last().fill(ADMIN.password);
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
    await currentPassword().fill(ADMIN.password);
    await newPassword().fill('password1234');
    await button('Change password').click();
    await page.getByText('Many people use this password').waitFor();

    await newPassword().fill(NEW_PASSWORD);
    await page.context().setOffline(true);
    await button('Change password').click();
    await page.getByText('The server cannot be reached.').waitFor();
    assert.deepEqual(
      [await currentPassword().inputValue(), await newPassword().inputValue()],
      [ADMIN.password, NEW_PASSWORD],
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
    await logInContext(other.context(), switchboard.url, { ...ADMIN, password: NEW_PASSWORD });
  });

  test('two-factor: set up, log in with it, use a recovery code, make new ones, turn it off', async () => {
    const { secret, codes } = await setUpTwoFactor();
    await button('Continue').click();
    await page.getByText('Save the codes first').waitFor();
    await page.getByLabel('I have saved the codes').check();
    await button('Continue').click();
    await page.getByText('Recovery codes left: 10').waitFor();

    // The code of this moment is used: the next one counts as well.
    await changePassword(ADMIN.password, NEW_PASSWORD);
    await page.waitForURL(/\/login\?.*reason=password/);
    await page.getByText('Your password is changed.').waitFor();
    await fillInLogin(page, { ...ADMIN, password: NEW_PASSWORD });
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
    await other.getByLabel('Current password').fill(ADMIN.password);
    await other.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD);
    await other.getByRole('button', { name: 'Change password' }).click();
    await other.getByText('Your session has ended.').waitFor();
    assert.equal(await other.getByLabel('New password', { exact: true }).inputValue(), NEW_PASSWORD);
  });

  test('failed log-ins are listed', async () => {
    await page.getByText('None in the last 30 days.').waitFor();
    const headers = { origin: switchboard.url, 'user-agent': FIREFOX };
    await page.request.post(`${switchboard.url}/session`, { headers, data: { ...ADMIN, password: 'wrong' } });
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
    const assertAccessible = async (state: string) => {
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        assert.deepEqual(await findAccessibilityProblems(page, '#page'), [], `${state}, ${colorScheme}`);
      }
    };
    const assertFits = async (state: string) => {
      for (const width of [320, 768, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        assert.deepEqual(await page.evaluate(findPageOverflow, '#page'), [], `${state}, ${width} pixels`);
      }
    };
    await openBrowser('/desk', FIREFOX);
    await page.reload();
    await button(/^End:/).click();
    await assertAccessible('end');
    await page.keyboard.press('Escape');
    await button('Change password').click();
    await button('Set up two-factor').click();
    await button('Continue').click();
    await assertAccessible('errors');
    for (const language of LANGUAGES) {
      await page.locator('select').selectOption(language);
      await assertFits(`errors, ${language}`);
    }
    await page.getByLabel('Current password').last().fill(ADMIN.password);
    await button('Continue').click();
    const secret = ((await page.locator('.app-secret code').textContent()) ?? '').replaceAll(' ', '');
    await assertAccessible('set-up');
    await assertFits('set-up');
    await page.getByLabel('Code', { exact: true }).fill(computeCurrentTotp(secret));
    await button('Turn on two-factor').click();
    await page.getByLabel('I have saved the codes').check();
    await assertAccessible('codes');
    await assertFits('codes');
    await button('Continue').click();
    for (const language of LANGUAGES) {
      await page.locator('select').selectOption(language);
      await assertFits(`two-factor is on, ${language}`);
    }
    await button('Turn off two-factor').click();
    await assertAccessible('turn off');
    await assertFits('turn off');
  });
});
