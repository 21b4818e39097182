import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../../support/browser/describe-in-browser.ts';
import { fillInLogin, type Login, logInContext } from '../../support/browser/log-in.ts';
import { PagePool } from '../../support/browser/page-pool.ts';
import { tabTo } from '../../support/browser/tab-to.ts';
import { createResource } from '../../support/fixtures/resources.ts';
import {
  NO_LIMITS,
  ORIGIN,
  openSite,
  openSiteOf,
  PASSWORD,
  type Site,
  type SiteVisitor,
} from '../../support/fixtures/site.ts';
import { findStablePort } from '../../support/processes/ports.ts';
import { startSwitchboardProcess } from '../../support/processes/switchboard.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

let loginCount = 0;

function createLogin(): Login {
  loginCount += 1;
  return { email: `story${loginCount}@example.com`, password: PASSWORD };
}

const NOTE = 'Called the carrier.';
const TRANSFER_NOTE = 'Carrier ref. 77-1043';

describeInBrowser('the work of operators in the desk', () => {
  let sharedSite: Site;
  let sharedPages: PagePool;
  let site: Site;
  let pages: PagePool;
  let websiteId: number;
  let ada: Login;
  let bo: Login;

  before(async () => {
    sharedSite = await openSite();
    sharedPages = createPages(sharedSite);
  });
  after(async () => {
    await sharedPages?.end();
    await sharedSite?.stop();
  });
  // Each test has its own website, and its own operators.
  beforeEach(() => useSite(sharedSite, sharedPages));
  afterEach(() => pages.closeAll());

  function createPages({ url }: Site): PagePool {
    const rules = { hosts: [new URL(url).host], expectedErrors: /^Socket closed/ };
    return new PagePool(rules, { viewport: { width: 1440, height: 900 } });
  }

  async function useSite(opened: Site, openedPages: PagePool): Promise<void> {
    [site, pages] = [opened, openedPages];
    websiteId = await createResource(site.rest, 'website', { url: ORIGIN, label: 'Shop' });
    [ada, bo] = [createLogin(), createLogin()];
    // No offer runs out on a slow machine.
    const { errors } = await site.admin.run('mutation{accountUpdate(input:{offerSeconds:300}){userErrors{message}}}');
    assert.deepEqual(errors, []);
  }

  function createOperator({ email }: { email: string }, pseudo: string, options?: { connected: boolean }) {
    const website_list = [websiteId];
    return site.createOperator({ email, pseudo, website_list, chat_enabled: true, chat_max_number: 3 }, options);
  }

  async function openDesk(login: Login): Promise<Page> {
    const page = await pages.open();
    await logInContext(page.context(), site.url, login);
    await page.goto(`${site.url}/desk`);
    await page.locator('.bar .state', { hasText: 'Available' }).waitFor();
    return page;
  }

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const field = (page: Page) => page.getByRole('combobox', { name: /^Message to/ });
  const log = (page: Page) => page.getByRole('log');
  const row = (page: Page, id: string) => page.locator(`.rail [data-row="${id}"]`);
  const offer = (page: Page) => page.getByRole('article', { name: 'Offer from Lea Roux' });
  const strip = (page: Page) => page.getByRole('region', { name: 'Only to read' });

  async function startConversation(): Promise<{ visitor: SiteVisitor; id: string }> {
    const visitor = await site.createVisitor({ websiteId, firstname: 'Lea', lastname: 'Roux' });
    const { id } = await visitor.startConversation({ message: 'Where is my parcel?' });
    return { visitor, id };
  }

  async function accept(page: Page, id: string): Promise<void> {
    await offer(page).waitFor();
    await page.keyboard.press('a');
    await page.waitForURL(`**/desk/conversations/${id}`);
    await field(page).waitFor();
  }

  async function write(page: Page, text: string): Promise<void> {
    await field(page).fill(text);
    await field(page).press('Enter');
  }

  /** Everything that the visitor's page can read of the conversation. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field
  async function readAsVisitor(visitor: SiteVisitor, id: string): Promise<any> {
    const { data, errors } = await visitor.run(
      'query($id:ID!){conversation(id:$id){state operator{pseudo} messages(first:100){author text}}}',
      { id },
    );
    assert.deepEqual(errors, []);
    return data.conversation;
  }

  /** Without notices. */
  async function textsOfVisitor(visitor: SiteVisitor, id: string): Promise<string[]> {
    const { messages } = await readAsVisitor(visitor, id);
    return messages.flatMap(({ author, text }: { author: string; text: string }) =>
      author === 'NOTICE' ? [] : [text],
    );
  }

  const textsOfDesk = (page: Page) => log(page).locator('.message > .bubble').allInnerTexts();

  async function waitForTexts(page: Page, expected: readonly string[]): Promise<void> {
    await waitUntil(`the desk shows ${expected}`, async () => String(await textsOfDesk(page)) === String(expected));
    await waitUntil('everything is sent', async () => (await log(page).locator('[data-delivery]').count()) === 0);
  }

  async function waitUntilClosed(visitor: SiteVisitor, id: string): Promise<void> {
    await waitUntil('the conversation is closed', async () => (await readAsVisitor(visitor, id)).state === 'CLOSED');
  }

  test('by keyboard alone, from the log-in to the close', async () => {
    await createOperator(ada, 'Ada', { connected: false });
    const page = await pages.open();
    const { keyboard } = page;
    await page.goto(`${site.url}/login?to=/desk`);
    await tabTo(page.getByLabel('Email'));
    await keyboard.type(ada.email);
    await tabTo(page.getByLabel('Password', { exact: true }));
    await keyboard.type(ada.password);
    await keyboard.press('Enter');
    await page.waitForURL('**/desk');

    const presence = page.locator('.bar > .button');
    await tabTo(presence);
    await keyboard.press('Enter');
    await tabTo(page.getByRole('switch', { name: 'Chat' }));
    await keyboard.press('Space');
    await presence.getByText('Available').waitFor();
    await keyboard.press('Escape');
    await page.getByRole('switch', { name: 'Chat' }).waitFor({ state: 'hidden' });

    const { visitor, id } = await startConversation();
    await accept(page, id);
    await waitUntil('one can write at once', () => field(page).evaluate((element) => element.matches(':focus')));
    await keyboard.type('On its way.');
    await keyboard.press('Enter');
    await waitForTexts(page, ['Where is my parcel?', 'On its way.']);
    assert.deepEqual(await textsOfVisitor(visitor, id), ['Where is my parcel?', 'On its way.']);

    // Backwards: the head of the conversation is above the field.
    await tabTo(button(page, 'Close'), 'Shift+Tab');
    await keyboard.press('Enter');
    await tabTo(page.getByLabel('Closing line'));
    await keyboard.type('Goodbye');
    await tabTo(button(page, 'Close conversation'));
    await keyboard.press('Enter');
    await strip(page).getByText('This conversation is being closed.').waitFor();
    await waitUntil('the focus is not lost', () => strip(page).evaluate((element) => element.matches(':focus')));
    await strip(page)
      .getByText(/^You closed this conversation/)
      .waitFor();
    assert.equal((await readAsVisitor(visitor, id)).state, 'CLOSED');
    assert.deepEqual(await textsOfVisitor(visitor, id), ['Where is my parcel?', 'On its way.', 'Goodbye']);
  });

  test('two operators: a note, and a transfer that takes it and the history along', async () => {
    await createOperator(ada, 'Ada');
    const first = await openDesk(ada);
    const { visitor, id } = await startConversation();
    await accept(first, id);
    await write(first, 'I look at it.');
    await button(first, 'Note').click();
    await first.getByRole('textbox', { name: /^Note about/ }).fill(NOTE);
    await first.keyboard.press('Enter');
    await log(first).locator('.note', { hasText: NOTE }).getByText('Note by you').waitFor();

    await createOperator(bo, 'Bo');
    const second = await openDesk(bo);
    await button(first, 'Transfer').click();
    await first.getByRole('option', { name: /Bo.*Available/ }).waitFor();
    await first.getByLabel('Note for Bo').fill(TRANSFER_NOTE);
    await button(first, 'Transfer to Bo').click();
    await first.getByText('Conversation with Lea Roux transferred to Bo').waitFor();
    await first.waitForURL('**/desk');
    await row(first, id).waitFor({ state: 'detached' });

    await accept(second, id);
    await waitForTexts(second, ['Where is my parcel?', 'I look at it.']);
    for (const note of [NOTE, TRANSFER_NOTE]) {
      await log(second).locator('.note', { hasText: note }).getByText('Note by Ada').waitFor();
    }
    assert.equal(await field(first).count(), 0);
    assert.equal(await first.getByRole('alert').count(), 0);

    await write(second, 'It arrives tomorrow.');
    await waitForTexts(second, ['Where is my parcel?', 'I look at it.', 'It arrives tomorrow.']);
    await button(second, 'Close').click();
    await button(second, 'Close conversation').click();
    await waitUntilClosed(visitor, id);
    const seen = await readAsVisitor(visitor, id);
    assert.doesNotMatch(JSON.stringify(seen), /carrier|77-1043/i);
    assert.deepEqual(await textsOfVisitor(visitor, id), await textsOfDesk(second));
  });

  test('the service is killed and started again: what was written meanwhile arrives once, in its order', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-desk-'));
    const env = { ...NO_LIMITS, PORT: String(await findStablePort()) };
    const killed = await startSwitchboardProcess({ folder, env });
    let restarted: typeof killed | undefined;
    t.after(async () => {
      await pages.end();
      await restarted?.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    const killedSite = await openSiteOf(killed);
    await useSite(killedSite, createPages(killedSite));
    await createOperator(ada, 'Ada');
    const page = await openDesk(ada);
    const { visitor, id } = await startConversation();
    await accept(page, id);
    await write(page, 'Before');
    await waitForTexts(page, ['Where is my parcel?', 'Before']);
    await page.evaluate('window.isSamePage = true');

    const ended = new Promise((resolve) => killed.process.once('exit', resolve));
    killed.process.kill('SIGKILL');
    await ended;
    const reconnecting = page.getByText('Reconnecting. What you write is kept');
    await reconnecting.waitFor();
    await write(page, 'One');
    await write(page, 'Two');
    await field(page).fill('Half a sentence');
    await log(page).locator('[data-delivery="pending"]').getByText('Two').waitFor();

    restarted = await startSwitchboardProcess({ folder, env });
    const expected = ['Where is my parcel?', 'Before', 'One', 'Two'];
    await waitForTexts(page, expected);
    await reconnecting.waitFor({ state: 'detached' });
    assert.deepEqual(await textsOfVisitor(visitor, id), expected);
    await visitor.sendMessage(id, 'Thank you');
    await waitForTexts(page, [...expected, 'Thank you']);
    assert.equal(await field(page).inputValue(), 'Half a sentence');
    assert.equal(await page.evaluate('window.isSamePage'), true);
  });

  test('two desks of one operator show the same, and each has its own draft', async () => {
    await createOperator(ada, 'Ada');
    const [first, second] = [await openDesk(ada), await openDesk(ada)];
    const { visitor, id } = await startConversation();
    await offer(second).waitFor();
    await accept(first, id);
    await offer(second).waitFor({ state: 'detached' });
    await row(second, id).click();
    await field(second).waitFor();

    await write(first, 'I look at it.');
    await waitForTexts(second, ['Where is my parcel?', 'I look at it.']);
    await field(first).fill('Half a sentence');
    await write(second, 'It arrives tomorrow.');
    const expected = ['Where is my parcel?', 'I look at it.', 'It arrives tomorrow.'];
    for (const page of [first, second]) await waitForTexts(page, expected);
    assert.deepEqual(await textsOfVisitor(visitor, id), expected);
    assert.equal(await field(first).inputValue(), 'Half a sentence');
    assert.equal(await field(second).inputValue(), '');

    await button(second, 'Close').click();
    await button(second, 'Close conversation').click();
    for (const page of [first, second]) {
      await strip(page)
        .getByText(/^You closed this conversation/)
        .waitFor();
    }
  });

  test('a session that is ended elsewhere leads to the log-in, and back to the conversation and its draft', async () => {
    const operator = await createOperator(ada, 'Ada');
    const page = await openDesk(ada);
    const { id } = await startConversation();
    await accept(page, id);
    await field(page).fill('Half a sentence');
    await operator.runMutation('mutation{sessionsEnd(input:{}){userErrors{message}}}', {});
    await page.waitForURL('**/login?**');
    await page.getByText('Your session has ended.').waitFor();
    await fillInLogin(page, ada);
    await page.waitForURL(`**/desk/conversations/${id}`);
    await field(page).waitFor();
    assert.equal(await field(page).inputValue(), 'Half a sentence');
    await field(page).press('Enter');
    await waitForTexts(page, ['Where is my parcel?', 'Half a sentence']);
  });
});
