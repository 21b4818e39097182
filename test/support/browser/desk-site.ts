import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { Page } from 'playwright-core';
import { createOperator } from '../fixtures/resources.ts';
import { NO_LIMITS, openSiteOf, type Site, type SiteVisitor } from '../fixtures/site.ts';
import { startSwitchboard } from '../processes/switchboard.ts';
import { type Login, logInContext } from './log-in.ts';
import { PagePool } from './page-pool.ts';

const PASSWORD = 'a password for the desk';

/** A service with a website, and desks of operators in a browser. */
export interface DeskSite extends Site {
  /** An operator of the website. */
  hire(fields?: Record<string, unknown>): Promise<Login & { readonly id: number }>;
  /** A page of the desk in an empty browser. */
  openDesk(login: Login, path?: string): Promise<Page>;
  /** A visitor whom the website has signed. */
  createSignedVisitor(claims: object): Promise<SiteVisitor>;
  /** Runs a mutation of the admin that must succeed. */
  change(mutation: string, input: object): Promise<void>;
  /** Closes all desks; after each test that opens its own. `stop` does it too. Fails if a page violated a rule. */
  closeDesks(): Promise<void>;
}

export async function openDeskSite(): Promise<DeskSite> {
  const site = await openSiteOf(await startSwitchboard({ env: NO_LIMITS }));
  const pages = new PagePool({ hosts: [new URL(site.url).host], expectedErrors: /^Socket closed/ });
  return {
    ...site,
    async hire(fields = {}) {
      const { id, email } = await createOperator(site.rest, {
        ...{ password: PASSWORD, website_list: [site.websiteId], chat_max_number: 5, language_list: ['en', 'fr'] },
        ...fields,
      });
      return { id, email, password: PASSWORD };
    },
    async openDesk(login, path = '/desk') {
      const page = await pages.open();
      await logInContext(page.context(), site.url, login);
      await page.goto(site.url + path);
      return page;
    },
    async createSignedVisitor(claims) {
      const secret = await site.loadIdentitySecret();
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
    closeDesks: () => pages.closeAll(),
    async stop() {
      await pages.closeAll();
      await pages.end();
      await site.stop();
    },
  };
}
