import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { createOperator } from '../fixtures/resources.ts';
import { NO_LIMITS, openSiteOf, type Site, type SiteVisitor } from '../fixtures/site.ts';
import { startSwitchboard } from '../processes/switchboard.ts';
import { WAIT_TIMEOUT_MS } from '../waiting/wait.ts';
import { launchChromium } from './chromium.ts';
import { type Login, logInContext } from './log-in.ts';
import { recordViolations } from './violations.ts';

const PASSWORD = 'a password for the desk';

/** A service with a website, and desks of operators in a browser. */
export interface DeskSite extends Site {
  readonly browser: Browser;
  /** An operator of the website. */
  hire(fields?: Record<string, unknown>): Promise<Login & { readonly id: number }>;
  /** A page of the desk in an empty browser. */
  openDesk(login: Login, path?: string): Promise<Page>;
  /** A visitor whom the website has signed. */
  createSignedVisitor(claims: object): Promise<SiteVisitor>;
  /** Runs a mutation of the admin that must succeed. */
  change(mutation: string, input: object): Promise<void>;
  /** Uncaught errors, requests to other hosts and violations of the content security policy on all pages. */
  readonly violations: string[];
}

export async function openDeskSite(): Promise<DeskSite> {
  const site = await openSiteOf(await startSwitchboard({ env: NO_LIMITS }));
  const browser = await launchChromium();
  const contexts: BrowserContext[] = [];
  const violations: string[] = [];
  return {
    ...{ ...site, browser, violations },
    async hire(fields = {}) {
      const { id, email } = await createOperator(site.rest, {
        ...{ password: PASSWORD, website_list: [site.websiteId], chat_max_number: 5, language_list: ['en', 'fr'] },
        ...fields,
      });
      return { id, email, password: PASSWORD };
    },
    async openDesk(login, path = '/desk') {
      const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin' });
      contexts.push(context);
      await logInContext(context, site.url, login);
      const page = await context.newPage();
      page.setDefaultTimeout(WAIT_TIMEOUT_MS);
      const found = recordViolations(page, { hosts: [new URL(site.url).host], expectedErrors: /^Socket closed/ });
      page.on('close', () => violations.push(...found));
      await page.goto(site.url + path);
      return page;
    },
    async createSignedVisitor(claims) {
      const secret = await site.loadVisitorSecret();
      const exp = Math.floor(Date.now() / 1000) + 86_400;
      const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
      const content = `${encode({ alg: 'HS256' })}.${encode({ sub: 'customer-7', exp, ...claims })}`;
      const signature = createHmac('sha256', secret).update(content).digest('base64url');
      return site.createVisitor({ identity: `${content}.${signature}` });
    },
    async change(mutation, input) {
      const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`;
      const { data, errors } = await site.admin.run(
        `mutation($input:${type}!){${mutation}(input:$input){userErrors{field message}}}`,
        { input },
      );
      assert.deepEqual(errors, []);
      assert.deepEqual(data[mutation].userErrors, []);
    },
    async stop() {
      for (const context of contexts) {
        for (const page of context.pages()) await page.close();
        await context.close();
      }
      await browser.close();
      await site.stop();
    },
  };
}
