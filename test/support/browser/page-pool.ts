import assert from 'node:assert/strict';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { WAIT_TIMEOUT_MS } from '../waiting/wait.ts';
import { launchChromium } from './chromium.ts';
import { recordViolations, type ViolationOptions } from './violations.ts';

/** One language and time zone on every machine. */
const OPTIONS: BrowserContextOptions = { locale: 'en-GB', timezoneId: 'Europe/Berlin' };

/**
 * Pages in empty browsers, for the tests of a suite one after the other. A browser context is emptied and used again:
 * its cache stays, so that pages load in less than half the time. It fits tests that share a service.
 */
export class PagePool {
  readonly #rules: ViolationOptions;
  readonly #options: BrowserContextOptions;
  readonly #idle: BrowserContext[] = [];
  readonly #used: BrowserContext[] = [];
  /** Those with other options are not used again. */
  readonly #separate: BrowserContext[] = [];
  readonly #violations: string[][] = [];
  /** Of the pages so far. */
  readonly #origins = new Set<string>();

  constructor(rules: ViolationOptions, options: BrowserContextOptions = {}) {
    this.#rules = rules;
    this.#options = { ...OPTIONS, ...options };
  }

  /** Opens a page in an empty browser. With options, even if empty, it is one that no other test uses. */
  async open(options?: BrowserContextOptions): Promise<Page> {
    const context = (options ? undefined : this.#idle.pop()) ?? (await this.#createContext(options));
    (options ? this.#separate : this.#used).push(context);
    const page = await this.openTab(context);
    await this.#removeStoredData(page);
    return page;
  }

  /** Opens another page in the same browser. */
  async openTab(context: BrowserContext): Promise<Page> {
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT_TIMEOUT_MS);
    this.#violations.push(recordViolations(page, this.#rules));
    return page;
  }

  async #createContext(options?: BrowserContextOptions): Promise<BrowserContext> {
    return (await launchChromium()).newContext({ ...this.#options, ...options });
  }

  /** Closes all pages. Fails if one of them violated a rule. */
  async closeAll(): Promise<void> {
    for (const context of this.#separate.splice(0)) await context.close();
    for (const context of this.#used.splice(0)) {
      for (const page of context.pages()) {
        if (page.url() !== 'about:blank') this.#origins.add(new URL(page.url()).origin);
        await page.close();
      }
      await context.clearCookies();
      await context.clearPermissions();
      await context.setOffline(false);
      this.#idle.push(context);
    }
    assert.deepEqual(this.#violations.splice(0).flat(), []);
  }

  /** What earlier pages stored, but not the cache. `BrowserContext.setStorageState` would remove the cache too. */
  async #removeStoredData(page: Page): Promise<void> {
    const session = await page.context().newCDPSession(page);
    for (const origin of this.#origins)
      await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage,indexeddb' });
    await session.detach();
  }

  /** Ends the browsers, after the last test. */
  async end(): Promise<void> {
    for (const context of [...this.#separate, ...this.#used, ...this.#idle]) await context.close();
  }
}
