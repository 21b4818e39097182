import assert from 'node:assert/strict';
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { createResource } from '../fixtures/resources.ts';
import { NO_LIMITS, openSiteOf, type Site, type SiteOperator } from '../fixtures/site.ts';
import { type Switchboard, startSwitchboard } from '../processes/switchboard.ts';
import { launchChromium } from './chromium.ts';
import { acceptNext, type DeskConversation, keepConnected } from './desk.ts';
import { type HostPage, startHostWebsite } from './host-website.ts';
import { WidgetPage } from './widget-page.ts';

export interface PageOptions extends Partial<HostPage> {
  /** Settings of the widget, as `websiteUpdate` takes them. */
  readonly widget?: object;
  /** Further settings of the website. */
  readonly settings?: object;
}

/** A service, a website on another origin, an operator who is available, and a browser. */
export interface WidgetSite extends Site {
  readonly browser: Browser;
  readonly operator: SiteOperator;
  /** Creates a website of the service; returns its identifier. */
  createWebsite(options?: PageOptions): Promise<number>;
  /** Creates a website with a page that shows the widget; returns the address of the page. */
  createPage(options?: PageOptions): Promise<string>;
  /** The same for a website that exists. */
  addPage(website: number, options?: PageOptions): string;
  /** A visitor with an empty browser. */
  createContext(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** Opens a page in a new tab. */
  openTab(context: BrowserContext, address: string): Promise<WidgetPage>;
  /** The same in an empty browser, on a new website. */
  openPage(options?: PageOptions & { readonly context?: BrowserContextOptions }): Promise<WidgetPage>;
  /** Accepts the conversation that this visitor has started; resolves when the visitor sees it. */
  accept(visitor: WidgetPage): Promise<DeskConversation>;
  /** Opens the panel, writes "Hello", and accepts. */
  startConversation(visitor: WidgetPage): Promise<DeskConversation>;
}

/** `serviceAddress` is where browsers reach the service; by default its own address. */
export async function openWidgetSite(
  switchboard?: Switchboard,
  serviceAddress = switchboard?.url,
): Promise<WidgetSite> {
  const site = await openSiteOf(switchboard ?? (await startSwitchboard({ env: NO_LIMITS })));
  const hosts = await startHostWebsite();
  const browser = await launchChromium();
  const operator = await site.createOperator({
    ...{ pseudo: 'Ada Marin', chat_max_number: 50, language_list: ['de', 'en', 'es', 'fr'] },
  });
  const disconnect = keepConnected(operator);
  const service = serviceAddress ?? site.url;
  const websites = [site.websiteId];
  const contexts = new Set<BrowserContext>();
  const self: WidgetSite = {
    ...{ ...site, browser, operator },
    async createWebsite({ widget, settings } = {}) {
      const id = await createResource(site.rest, 'website', { url: hosts.origin, label: 'Shop' });
      websites.push(id);
      await site.rest.put(`/operator/${operator.id}`, { website_list: websites });
      if (!widget && !settings) return id;
      const { data, errors } = await site.admin.run(
        'mutation($input:WebsiteUpdateInput!){websiteUpdate(input:$input){userErrors{field message}}}',
        { input: { id, ...settings, ...(widget && { widget }) } },
      );
      assert.deepEqual(errors, []);
      assert.deepEqual(data.websiteUpdate.userErrors, []);
      return id;
    },
    createPage: async (options) => self.addPage(await self.createWebsite(options), options),
    addPage: (website, options = {}) => hosts.addPage({ service, website, ...options }),
    async createContext(options) {
      // One language and time zone on every machine.
      const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin', ...options });
      contexts.add(context);
      context.once('close', () => contexts.delete(context));
      return context;
    },
    openTab: async (context, address) =>
      WidgetPage.open(await context.newPage(), address, [new URL(service).host, new URL(hosts.origin).host]),
    openPage: async ({ context, ...options } = {}) =>
      self.openTab(await self.createContext(context), await self.createPage(options)),
    async accept(visitor) {
      const conversation = await acceptNext(operator, await visitor.findWebsiteId());
      await visitor.panel.getByRole('heading', { name: 'Ada Marin' }).waitFor();
      return conversation;
    },
    async startConversation(visitor) {
      await visitor.openPanel();
      await visitor.send('Hello');
      return self.accept(visitor);
    },
    async stop() {
      for (const context of contexts) await context.close();
      disconnect();
      await hosts.stop();
      await site.stop();
    },
  };
  return self;
}
