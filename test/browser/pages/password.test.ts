import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertPageIsSound } from '../../support/browser/assert-page.ts';
import { describeInBrowser } from '../../support/browser/describe-in-browser.ts';
import { PagePool } from '../../support/browser/page-pool.ts';
import { graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { restClient } from '../../support/clients/rest.ts';
import { createOperator } from '../../support/fixtures/resources.ts';
import { PASSWORD } from '../../support/fixtures/site.ts';
import { computeCurrentTotp, setUpTwoFactor } from '../../support/fixtures/two-factor.ts';
import { ADMIN, type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

const NEW_PASSWORD = 'seven green umbrellas';

describeInBrowser('passwords and two-factor authentication in a browser', () => {
  let switchboard: Switchboard;
  let pages: PagePool;
  let page: Page;
  before(async () => {
    switchboard = await startSwitchboard();
    pages = new PagePool({ hosts: [new URL(switchboard.url).host] });
  });
  after(async () => {
    await pages?.end();
    await switchboard?.stop();
  });
  beforeEach(async () => {
    page = await pages.open();
  });
  afterEach(() => pages.closeAll());

  const runAsAdmin = async (query: string, variables: object) => {
    const admin = graphqlClient(switchboard.url, await logIn(switchboard.url));
    const { data, errors } = await admin.run(query, variables);
    assert.deepEqual(errors, []);
    return data;
  };
  const logInAs = async (email: string, password: string) => {
    await page.goto(`${switchboard.url}/login`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
  };
  const arriveAt = (path: string) => page.waitForURL(switchboard.url + path);

  /** Creates an operator, and returns the token of the link that invites them. */
  async function invite(email: string): Promise<string> {
    const created = await runAsAdmin(
      'mutation($input:OperatorCreateInput!){operatorCreate(input:$input){operator{id} userErrors{message}}}',
      { input: { name: 'Silva', firstName: 'Ana', pseudo: 'Ana', email, roles: ['ADMIN'] } },
    );
    const { operatorInvite } = await runAsAdmin('mutation($id:ID!){operatorInvite(input:{id:$id}){link{url}}}', {
      id: created.operatorCreate.operator.id,
    });
    return new URL(operatorInvite.link.url).hash.slice('#token='.length);
  }

  test('an invited operator sets a password once, and logs in with it', async () => {
    const token = await invite('ana@example.com');
    await page.goto(`${switchboard.url}/password#token=${token}`);
    await page.getByRole('heading', { name: 'Set your password' }).waitFor();
    assert.equal(page.url(), `${switchboard.url}/password`, 'the token is not in the address');
    await page.reload();
    await page.getByText(/^For Ana Silva\. The link works once, until \d/).waitFor();
    assert.equal(await page.getByLabel('Email').inputValue(), 'ana@example.com');
    const input = page.getByLabel('New password');
    assert.equal(await input.getAttribute('autocomplete'), 'new-password');
    await assertPageIsSound(page, 'new password');

    const save = page.getByRole('button', { name: 'Save password' });
    await input.fill('short');
    await page.getByText('Characters that are missing: 5').waitFor();
    await save.click();
    await page.getByText('The password needs at least 10 characters.').waitFor();
    await assertPageIsSound(page, 'short password');
    await input.fill('password123');
    await save.click();
    await page.getByText(/^Many people use this password/).waitFor();
    await input.fill(NEW_PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your password is saved' }).waitFor();
    await assertPageIsSound(page, 'saved');
    await page.getByRole('link', { name: 'Log in' }).click();
    await logInAs('ana@example.com', NEW_PASSWORD);
    await arriveAt('/desk');

    await page.goto(`${switchboard.url}/password#token=${token}`);
    await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
    await page.getByText(/It was used already/).waitFor();
    await assertPageIsSound(page, 'used link');
  });

  test('a link of which a part is missing says so', async () => {
    await page.goto(`${switchboard.url}/password`);
    await page.getByText(/a part of it is missing/).waitFor();
  });

  test('a log-in with two-factor asks for the code, or for a recovery code', async () => {
    const rest = restClient(switchboard.url, switchboard.key);
    const { email } = await createOperator(rest, { password: PASSWORD });
    const operator = graphqlClient(switchboard.url, await logIn(switchboard.url, { email, password: PASSWORD }));
    const { recoveryCodes } = await setUpTwoFactor(operator, PASSWORD);
    await logInAs(email, PASSWORD);
    await page.getByRole('heading', { name: 'Enter the code' }).waitFor();
    assert.equal(await page.evaluate('document.activeElement.autocomplete'), 'one-time-code');
    await page.getByText(/The code changes in \d+ s\./).waitFor();
    assert.equal(await page.locator('.offer-ring[data-running]:not([data-ending])').count(), 1);
    await assertPageIsSound(page, 'code');
    await page.getByLabel('Code', { exact: true }).fill('000000');
    await page.keyboard.press('Enter');
    await page.getByText(/^The code is not correct/).waitFor();
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await assertPageIsSound(page, 'recovery code');
    const input = page.getByLabel('Recovery code');
    await input.fill('aaaaa-aaaaa');
    await page.keyboard.press('Enter');
    await page.getByText(/^This code is not correct, or it was already used/).waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    assert.equal(await page.getByLabel('Email').inputValue(), email, 'nothing typed is lost');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await input.fill(recoveryCodes[0] ?? '');
    await page.keyboard.press('Enter');
    await arriveAt('/desk');
  });

  // The last one: it changes the account.
  test('where it is required, two-factor is set up before anything else', async () => {
    await runAsAdmin('mutation{accountUpdate(input:{twoFactorRequired:[ADMIN]}){userErrors{message}}}', {});
    await page.goto(`${switchboard.url}/login?to=/developers`);
    await page.getByLabel('Email').fill(ADMIN.email);
    await page.getByLabel('Password', { exact: true }).fill(ADMIN.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Set up two-factor' }).waitFor();
    await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    await assertPageIsSound(page, 'app');
    const code = page.getByLabel('Code', { exact: true });
    assert.deepEqual(
      [await code.getAttribute('autocomplete'), await code.getAttribute('inputmode')],
      ['one-time-code', 'numeric'],
    );
    await code.fill('000 00');
    await page.keyboard.press('Enter');
    await page.getByText('Enter all six digits.').waitFor();
    await code.fill('000000');
    await page.keyboard.press('Enter');
    await page.getByText(/^The code is not correct/).waitFor();
    const secret = (await page.locator('.app-secret code').innerText()).replaceAll(' ', '');
    // Pasted as some apps show it.
    await code.fill(computeCurrentTotp(secret).replace(/(?<=^...)/, ' '));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Save the recovery codes' }).waitFor();
    assert.equal(await page.locator('.recovery-codes li').count(), 10);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Save the codes first, then say so here.').waitFor();
    await assertPageIsSound(page, 'recovery codes');
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download' }).click();
    assert.equal((await download).suggestedFilename(), 'switchboard-recovery-codes.txt');
    await page.getByLabel('I have saved the codes').check();
    await page.getByRole('button', { name: 'Continue' }).click();
    await arriveAt('/developers');
  });
});
