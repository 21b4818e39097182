import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { findReplacement } from '../../../src/api/graphql/replacements.ts';
import { describeInBrowser } from '../../support/browser/describe-in-browser.ts';
import { fillInLogin, type Login } from '../../support/browser/log-in.ts';
import { PagePool } from '../../support/browser/page-pool.ts';
import { restClient } from '../../support/clients/rest.ts';
import { createOperator } from '../../support/fixtures/resources.ts';
import { ADMIN, type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

describeInBrowser('the migration meter in a browser', () => {
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

  /** Opens the meter in a new tab, which leads to the log-in page and back. */
  async function openMeterAs(login: Login): Promise<Page> {
    const page = await pages.open();
    await page.goto(`${switchboard.url}/docs/migration/meter`);
    await fillInLogin(page, login);
    await page.waitForURL(`${switchboard.url}/docs/migration/meter`);
    return page;
  }

  test('an admin sees what each key used and its replacement, and logs out', async () => {
    const rest = restClient(switchboard.url, switchboard.key);
    for (let number = 0; number < 3; number++) await rest.get('/skill');
    const page = await openMeterAs(ADMIN);
    const row = page.locator('tr', { hasText: 'GET /skill' });
    await row.waitFor();
    assert.equal(await row.locator('td').nth(1).textContent(), '3');
    await row.locator('summary').click();
    assert.equal(await row.locator('pre').textContent(), findReplacement('GET /skill'));

    await rest.get('/skill');
    await page.click('#refresh');
    await page.locator('tr', { hasText: 'GET /skill' }).locator('td', { hasText: /^4$/ }).waitFor();

    await page.reload();
    await row.waitFor();
    await page.click('#log-out');
    await page.waitForURL(/\/login\?to=%2Fdocs%2Fmigration%2Fmeter$/);
    await page.goBack();
    await page.waitForURL(/\/login/);
  });

  test('when the session has ended, the meter leads to the log-in page, which says so', async () => {
    const page = await openMeterAs(ADMIN);
    await page.locator('#refresh').waitFor();
    await page.context().request.delete(`${switchboard.url}/session`, { headers: { origin: switchboard.url } });
    await page.click('#refresh');
    await page.getByText('Your session has ended.').waitFor();
  });

  test('a user who is not an admin sees a message', async () => {
    const login = { email: 'person@example.com', password: 'a long enough password' };
    await createOperator(restClient(switchboard.url, switchboard.key), login);
    const page = await openMeterAs(login);
    await page.getByText('Only admins of the account can see the meter.').waitFor();
    assert.equal(await page.locator('td').count(), 0);
  });
});
