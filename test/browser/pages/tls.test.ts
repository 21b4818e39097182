import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchChromium, skipWithoutBrowser } from '../../support/browser/chromium.ts';
import { describeInBrowser } from '../../support/browser/describe-in-browser.ts';
import { recordViolations } from '../../support/browser/violations.ts';
import { createCertificate, skipWithoutOpenssl } from '../../support/processes/certificate.ts';
import { ADMIN, type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';
import { WAIT_TIMEOUT_MS } from '../../support/waiting/wait.ts';

describeInBrowser(
  'a browser session over TLS',
  () => {
    let folder: string;
    let switchboard: Switchboard;
    let browser: Browser;
    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'switchboard-tls-'));
      switchboard = await startSwitchboard({ env: createCertificate(folder) });
      browser = await launchChromium();
    });
    after(async () => {
      await switchboard?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    test('has a cookie that no other host can plant, and ends with the log-out', async () => {
      const { url } = switchboard;
      assert.match(url, /^https:/);
      const context = await browser.newContext({ locale: 'en-GB', ignoreHTTPSErrors: true });
      const page = await context.newPage();
      page.setDefaultTimeout(WAIT_TIMEOUT_MS);
      const violations = recordViolations(page, { hosts: [new URL(url).host] });
      await page.goto(`${url}/desk`);
      await page.getByLabel('Email').fill(ADMIN.email);
      await page.getByLabel('Password', { exact: true }).fill(ADMIN.password);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.waitForURL(`${url}/desk`);

      const [cookie, ...others] = await context.cookies();
      assert.equal(others.length, 0);
      assert.deepEqual(
        [cookie?.name, cookie?.secure, cookie?.httpOnly, cookie?.sameSite, cookie?.path, cookie?.domain],
        ['__Host-switchboard', true, true, 'Strict', '/', '127.0.0.1'],
      );
      const query = `${url}/graphql?query=${encodeURIComponent('{viewer{id}}')}`;
      const readViewer = () => page.evaluate(`fetch(${JSON.stringify(query)}).then((response) => response.status)`);
      assert.equal(await readViewer(), 200);
      assert.equal(await page.evaluate('document.cookie'), '');

      await page.goto(`${url}/account`);
      await page.getByRole('heading', { name: 'Sessions' }).waitFor();
      assert.deepEqual(violations, []);
      const logOut = `fetch('/session', { method: 'DELETE' }).then((response) => response.status)`;
      assert.equal(await page.evaluate(logOut), 204);
      assert.deepEqual(await context.cookies(), []);
      assert.equal(await readViewer(), 401);
      await context.addCookies([{ ...(cookie as NonNullable<typeof cookie>) }]);
      assert.equal(await readViewer(), 401, 'the session is over, not only its cookie');
      await page.goto(`${url}/desk`);
      await page.getByRole('heading', { name: 'Log in' }).waitFor();
      await context.close();
    });
  },
  skipWithoutBrowser || skipWithoutOpenssl,
);
