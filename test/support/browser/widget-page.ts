import type { Locator, Page } from 'playwright-core';
import { WAIT_TIMEOUT_MS, waitUntil } from '../waiting/wait.ts';
import { recordViolations } from './violations.ts';

/** A page with the widget, as a visitor sees it. */
export class WidgetPage {
  readonly page: Page;
  /** Requests to other hosts, uncaught errors, and violations of the content security policy. */
  readonly violations: string[];
  /** The addresses of all requests to the service, in their order. */
  readonly requests: string[] = [];
  readonly sockets: string[] = [];
  readonly launcher: Locator;
  readonly panel: Locator;
  /** The field for messages. */
  readonly composer: Locator;

  private constructor(page: Page, hosts: readonly string[]) {
    this.page = page;
    this.violations = recordViolations(page, { hosts });
    page.setDefaultTimeout(WAIT_TIMEOUT_MS);
    page.on('request', (request) => {
      if (new URL(request.url()).host === hosts[0]) this.requests.push(request.url());
    });
    page.on('websocket', (socket) => this.sockets.push(socket.url()));
    this.launcher = page.locator('switchboard-widget .launcher');
    this.panel = page.locator('switchboard-widget .panel');
    this.composer = this.panel.getByRole('textbox', { name: 'Message' });
  }

  /** Resolves when the widget shows its button. The first of the hosts is that of the service. */
  static async open(page: Page, address: string, hosts: readonly string[]): Promise<WidgetPage> {
    const widget = new WidgetPage(page, hosts);
    await page.goto(address);
    return widget;
  }

  /** The website of the script tag. */
  async findWebsiteId(): Promise<string> {
    return (await this.page.locator('script[data-website]').first().getAttribute('data-website')) ?? '';
  }

  button(name: string | RegExp): Locator {
    return this.panel.getByRole('button', { name, exact: true });
  }

  text(text: string | RegExp): Locator {
    return this.panel.getByText(text);
  }

  async openPanel(): Promise<void> {
    await this.launcher.click();
    await this.panel.waitFor();
  }

  async send(text: string): Promise<void> {
    await this.composer.fill(text);
    await this.composer.press('Enter');
  }

  /** The texts of all messages in their order. */
  texts(): Promise<string[]> {
    return this.panel.locator('.message > .bubble').allInnerTexts();
  }

  async waitForText(text: string): Promise<void> {
    await waitUntil(`the visitor sees "${text}"`, async () => (await this.texts()).includes(text));
  }

  /** Resolves when every message of the visitor is confirmed. */
  async waitUntilSent(): Promise<void> {
    await this.panel.locator('.message').first().waitFor();
    await waitUntil('every message is sent', async () => (await this.panel.locator('[data-delivery]').count()) === 0);
  }

  async chooseFromMenu(name: string): Promise<void> {
    await this.button('Options').click();
    await this.panel.getByRole('menuitem', { name }).click();
  }

  /** Ends the conversation. */
  async end(): Promise<void> {
    await this.chooseFromMenu('End the conversation');
    await this.panel.getByRole('alertdialog').getByRole('button', { name: 'End the conversation' }).click();
  }

  close(): Promise<void> {
    return this.page.context().close();
  }
}
