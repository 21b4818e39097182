import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findReplacement } from '../../src/api/graphql/replacements.ts';
import { restClient } from '../support/clients/rest.ts';
import { createOperator } from '../support/fixtures/resources.ts';
import { ADMIN, type Switchboard, startSwitchboard } from '../support/processes/switchboard.ts';
import { WAIT_TIMEOUT_MS } from '../support/waiting/wait.ts';

const CHROMIUM_PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = CHROMIUM_PATHS.find((path) => existsSync(path));
const skip = executablePath === undefined && `Chromium not found at ${CHROMIUM_PATHS.join(', ')}`;

describe('the migration meter in a browser', { skip }, () => {
  let switchboard: Switchboard;
  let browser: Browser;
  /** Requests to other hosts, script errors and Content Security Policy violations. */
  const violations: string[] = [];

  before(async () => {
    switchboard = await startSwitchboard();
    browser = await chromium.launch({
      executablePath: executablePath ?? '',
      timeout: WAIT_TIMEOUT_MS,
      args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
    });
  });
  after(async () => {
    await browser?.close();
    await switchboard?.stop();
    assert.deepEqual(violations, []);
  });

  /** Opens the meter in a new tab and logs in. */
  async function openMeterAs({ email, password }: { email: string; password: string }): Promise<Page> {
    const page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(WAIT_TIMEOUT_MS);
    page.on('request', (request) => {
      if (!request.url().startsWith(switchboard.url)) violations.push(request.url());
    });
    page.on('pageerror', (error) => violations.push(error.message));
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) violations.push(message.text());
    });
    await page.goto(`${switchboard.url}/docs/migration/meter`);
    await page.fill('#email', email);
    await page.fill('#password', password);
    await page.click('#login button');
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
    await page.locator('#login').waitFor();
    assert.equal(await page.locator('td').count(), 0);
    await page.reload();
    await page.locator('#login').waitFor();
  });

  test('a wrong password and a user who is not an admin show a message', async () => {
    const wrong = await openMeterAs({ email: ADMIN.email, password: 'wrong' });
    await wrong.getByText('The e-mail or the password is wrong.').waitFor();
    const login = { email: 'person@example.com', password: 'a long enough password' };
    await createOperator(restClient(switchboard.url, switchboard.key), login);
    const page = await openMeterAs(login);
    await page.getByText('Only admins of the account can see the meter.').waitFor();
    assert.equal(await page.locator('td').count(), 0);
  });
});
