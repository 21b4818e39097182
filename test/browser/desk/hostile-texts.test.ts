import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../../support/browser/describe-in-browser.ts';
import { acceptNext, type DeskConversation } from '../../support/browser/desk.ts';
import { type DrawingTime, measureDrawing } from '../../support/browser/drawing-time.ts';
import { breakAddresses, usePosixLocale } from '../../support/browser/in-page.ts';
import { logInContext } from '../../support/browser/log-in.ts';
import { PagePool } from '../../support/browser/page-pool.ts';
import { HOSTILE_TEXTS } from '../../support/fixtures/hostile-texts.ts';
import { openSite, PASSWORD, type Site, type SiteOperator, type SiteVisitor } from '../../support/fixtures/site.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

const ADA = { email: 'ada@example.com', password: PASSWORD };
const CONTEXT = 'mutation($input:VisitorContextInput!){visitorContext(input:$input){userErrors{field message}}}';
const NOTE = 'mutation($input:NoteAddInput!){noteAdd(input:$input){userErrors{field message}}}';
const LEAVE = 'mutation($input:MessageLeaveInput!){messageLeave(input:$input){userErrors{field message}}}';
/** An address that the page cannot draw, because of `breakAddresses`. */
const FAULT = 'https://fault.example/';

describeInBrowser('hostile texts in the desk', () => {
  let site: Site;
  let pages: PagePool;
  let ada: SiteOperator;
  let page: Page;
  let drawing: DrawingTime;

  before(async () => {
    site = await openSite();
    ada = await site.createOperator({ email: ADA.email, pseudo: 'Ada', chat_max_number: 50, language_list: ['en'] });
    pages = new PagePool({ hosts: [new URL(site.url).host], expectedErrors: /^This address is broken$/ });
    page = await pages.open();
    drawing = await measureDrawing(page);
    await logInContext(page.context(), site.url, ADA);
    await page.goto(`${site.url}/desk`);
  });
  after(async () => {
    await pages?.closeAll();
    await pages?.end();
    await site?.stop();
  });

  const log = () => page.getByRole('log');
  const field = () => page.getByRole('combobox', { name: /^Message to/ });

  async function converse(visitor: SiteVisitor, message: string): Promise<DeskConversation> {
    await visitor.startConversation({ message });
    return acceptNext(ada, String(site.websiteId));
  }
  async function run(visitor: SiteVisitor, mutation: string, input: object): Promise<void> {
    const { data, errors } = await visitor.run(mutation, { input });
    assert.deepEqual(errors, []);
    assert.deepEqual(Object.values<{ userErrors: unknown[] }>(data)[0]?.userErrors, []);
  }
  /** The desk can be worked with: it has its parts, and takes a message. */
  async function assertWorks(conversation: DeskConversation, state: string): Promise<void> {
    await field().fill(`An answer to ${state}`);
    await field().press('Enter');
    await conversation.waitForText(`An answer to ${state}`);
    await page.getByRole('navigation', { name: 'Conversations' }).getByRole('heading', { name: 'Mine' }).waitFor();
    assert.equal(await page.evaluate('window.hacked'), undefined, state);
    assert.equal(await page.getByRole('alert').filter({ hasText: 'cannot be shown' }).count(), 0, state);
  }

  for (const [name, text] of Object.entries(HOSTILE_TEXTS)) {
    test(`${name}: drawn wherever it stands, in no time`, async () => {
      const short = text.slice(0, 500);
      const visitor = await site.createVisitor({ firstname: short.slice(0, 60), lastname: short.slice(0, 60) });
      const where = { page: 'https://shop.example/cart', title: short.slice(0, 200), language: 'en' };
      await run(visitor, CONTEXT, { ...where, fields: [{ name: 'Story', value: short }] });
      const conversation = await converse(visitor, text);
      await drawing.assertQuick(name, async () => {
        await page.locator(`[data-row="${conversation.id}"]`).click();
        await log().locator('.message .bubble').waitFor();
        await page.locator('.visitor-panel').getByText('Story').waitFor();
      });
      await drawing.assertQuick(`${name}, as a note`, async () => {
        await ada.runMutation(NOTE, { input: { conversationId: conversation.id, text, clientId: 'note' } });
        await log().locator('.note').waitFor();
      });
      await drawing.assertQuick(`${name}, of an operator`, async () => {
        await ada.sendMessage(conversation.id, text);
        await log().locator('[data-own] .bubble').waitFor();
      });
      await assertWorks(conversation, name);
      await conversation.close();
    });
  }

  test('messages left', async () => {
    for (const text of Object.values(HOSTILE_TEXTS)) {
      const visitor = await site.createVisitor();
      const who = { email: 'someone@example.com', name: text.slice(0, 60) };
      await run(visitor, LEAVE, { ...who, text: text.slice(0, 5000), page: 'https://shop.example/' });
    }
    await drawing.assertQuick('messages left', async () => {
      await page.getByRole('link', { name: /Messages left/ }).click();
      await page.locator('.message-left').first().waitFor();
    });
    assert.ok((await page.locator('.message-left').count()) >= 10);
    assert.equal(await page.evaluate('window.hacked'), undefined);
  });

  test('a browser with a locale that is no language tag shows times', async () => {
    const visitor = await site.createVisitor({ firstname: 'Lea', lastname: 'Roux' });
    const conversation = await converse(visitor, 'What time is it?');
    await page.addInitScript(usePosixLocale);
    await page.goto(`${site.url}/desk/conversations/${conversation.id}`);
    await log().locator('.message-meta time').waitFor();
    await log().getByText('You joined').waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    await conversation.close();
  });

  test('what cannot be drawn costs only itself, and is in the log of the service', async () => {
    const visitor = await site.createVisitor({ firstname: 'Lea', lastname: 'Roux' });
    await run(visitor, CONTEXT, { page: `https://shop.example/?from=${FAULT}`, title: 'Cart', language: 'en' });
    const conversation = await converse(visitor, `Look at ${FAULT}`);
    const other = await converse(await site.createVisitor({ firstname: 'Bo' }), 'And I?');
    await page.addInitScript(breakAddresses, 'fault.example');
    await page.goto(`${site.url}/desk/conversations/${conversation.id}`);
    await log().getByText(`Look at ${FAULT}`).waitFor();
    assert.equal(await log().getByRole('link').count(), 0);
    await visitor.sendMessage(conversation.id, 'Are you there?');
    await log().getByText('Are you there?').waitFor();
    await field().fill('Yes');
    await field().press('Enter');
    await conversation.waitForText('Yes');
    // The side has the same address, and no text to show instead.
    const side = page.getByRole('complementary', { name: 'Visitor' });
    await side.getByRole('alert').getByText('This part of the desk cannot be shown.').waitFor();
    await page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: /Bo/ }).click();
    await log().getByText('And I?').waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    assert.equal(new URL(page.url()).pathname, `/desk/conversations/${other.id}`);
    for (const part of ['desk: message', 'desk: visitor']) {
      await waitUntil(`the log has "${part}"`, async () => site.switchboard.log().includes(`"part":"${part}"`));
    }
    assert.match(site.switchboard.log(), /"message":"This address is broken"/);
  });
});
