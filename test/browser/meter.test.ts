import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { replacementOf } from '../../src/api/graphql/replacements.ts';
import { restClient } from '../support/clients/rest.ts';
import { addOperator } from '../support/people/people.ts';
import { ADMIN, type Switchboard, startSwitchboard } from '../support/processes/switchboard.ts';
import { PATIENCE_MS } from '../support/waiting/until.ts';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = PLACES.find((place) => existsSync(place));
const skip = executablePath === undefined && `no Chromium on this machine: looked for ${PLACES.join(', ')}`;

describe('the migration meter in a browser', { skip }, () => {
  let switchboard: Switchboard;
  let browser: Browser;
  /** Requests to other hosts, scripts that failed, and what the policy of the page forbade. */
  const offences: string[] = [];

  before(async () => {
    switchboard = await startSwitchboard();
    browser = await chromium.launch({
      executablePath: executablePath ?? '',
      timeout: PATIENCE_MS,
      args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
    });
  });
  after(async () => {
    await browser?.close();
    await switchboard?.stop();
    assert.deepEqual(offences, []);
  });

  /** A tab of its own in which somebody has logged in. */
  async function openAs({ email, password }: { email: string; password: string }): Promise<Page> {
    const page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    page.on('request', (request) => {
      if (!request.url().startsWith(switchboard.url)) offences.push(request.url());
    });
    page.on('pageerror', (error) => offences.push(error.message));
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) offences.push(message.text());
    });
    await page.goto(`${switchboard.url}/docs/migration/meter`);
    await page.fill('#email', email);
    await page.fill('#password', password);
    await page.click('#login button');
    return page;
  }

  test('an admin sees what each key used and what replaces it, and logs out', async () => {
    const rest = restClient(switchboard.url, switchboard.key);
    for (let number = 0; number < 3; number++) await rest.get('/skill');
    const page = await openAs(ADMIN);
    const row = page.locator('tr', { hasText: 'GET /skill' });
    await row.waitFor();
    assert.equal(await row.locator('td').nth(1).textContent(), '3');
    await row.locator('summary').click();
    assert.equal(await row.locator('pre').textContent(), replacementOf('GET /skill'));

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

  test('a wrong password and somebody who is no admin are told so', async () => {
    const wrong = await openAs({ email: ADMIN.email, password: 'wrong' });
    await wrong.getByText('The e-mail or the password is wrong.').waitFor();
    const person = { email: 'person@example.com', password: 'a long enough password' };
    await addOperator(restClient(switchboard.url, switchboard.key), person);
    const page = await openAs(person);
    await page.getByText('Only admins of the account see the meter.').waitFor();
    assert.equal(await page.locator('td').count(), 0);
  });
});
