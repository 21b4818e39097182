import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../../support/browser/describe-in-browser.ts';
import { type DeskSite, openDeskSite } from '../../support/browser/desk-site.ts';
import type { SiteVisitor } from '../../support/fixtures/site.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

const CLOSING = 'This conversation is being closed.';

describeInBrowser('closing conversations in the desk', () => {
  let site: DeskSite;
  let page: Page;
  let visitor: SiteVisitor;
  let id: string;

  before(async () => {
    site = await openDeskSite();
    const { errors } = await site.admin.run('mutation{accountUpdate(input:{autoAccept:true}){userErrors{message}}}');
    assert.deepEqual(errors, []);
    page = await site.openDesk(await site.hire({ chat_enabled: true, chat_max_number: 20 }));
    await page.locator('.bar > .button').click();
    await page.getByRole('switch', { name: 'Chat' }).click();
    await page.locator('.bar .state', { hasText: 'Available' }).waitFor();
    await page.keyboard.press('Escape');
  });
  after(() => site?.stop());
  beforeEach(async () => {
    visitor = await site.createVisitor({ firstname: 'Lea', lastname: 'Roux' });
    ({ id } = await visitor.startConversation({ message: 'Where is my parcel?' }));
    await row('Mine').click();
    await field().waitFor();
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const field = () => page.getByRole('combobox', { name: /^Message to/ });
  const toast = () => page.locator('.toast');
  const row = (section: string) =>
    page.getByRole('region', { name: new RegExp(`^${section}`) }).locator(`[data-row="${id}"]`);
  const hasFocus = (part: ReturnType<typeof toast>) => part.evaluate((element) => element.matches(':focus'));

  async function close(line = ''): Promise<void> {
    await button('Close').click();
    await page.getByLabel('Closing line').fill(line);
    await button('Close conversation').click();
    await page.getByText(CLOSING).waitFor();
  }

  async function readState(): Promise<string> {
    const { data } = await visitor.run('query($id:ID!){conversation(id:$id){state}}', { id });
    return data.conversation.state;
  }

  async function readTexts(): Promise<string[]> {
    const { data } = await visitor.run('query($id:ID!){conversation(id:$id){messages(first:100){author text}}}', {
      id,
    });
    const messages = data.conversation.messages as { author: string; text: string }[];
    return messages.flatMap(({ author, text }) => (author === 'NOTICE' ? [] : text));
  }

  const waitUntilClosed = () => waitUntil('the conversation is closed', async () => (await readState()) === 'CLOSED');

  test('one that is being closed does not stand among the open ones, and is there again after an undo', async () => {
    await close('Goodbye');
    await row('Closed today').getByText('Closing…').waitFor();
    assert.equal(await row('Mine').count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 1, 'in one place');
    await toast().getByRole('button', { name: 'Undo' }).click();
    await row('Mine').waitFor();
    assert.equal(await row('Closed today').count(), 0);
    await waitUntil('one goes on to write', () => hasFocus(field()));
    assert.equal(await readState(), 'ACTIVE');

    await button('Close').click();
    assert.equal(await page.getByLabel('Closing line').inputValue(), 'Goodbye', 'nothing typed is lost');
    await button('Close conversation').click();
    await page.getByText(CLOSING).waitFor();
    await waitUntilClosed();
    await page.getByText(/^You closed this conversation/).waitFor();
    assert.equal(await row('Mine').count(), 0);
    assert.deepEqual(await readTexts(), ['Where is my parcel?', 'Goodbye']);
  });

  test('F6 leads to the undo and back, and the time does not run out meanwhile', async () => {
    await close();
    assert.equal(await page.locator('.toast-region').count(), 1);
    assert.equal(await page.locator('.toast-region').getAttribute('role'), 'status');
    await page.keyboard.press('F6');
    assert.ok(await hasFocus(toast().getByRole('button', { name: 'Undo' })));
    await page.keyboard.press('F6');
    assert.ok(await hasFocus(page.locator('.answer-strip')));

    await page.keyboard.press('F6');
    const start = Date.now();
    await waitUntil('the time of the undo is long over', () => Date.now() - start > 8000);
    await page.keyboard.press('Enter');
    await toast().waitFor({ state: 'detached' });
    await waitUntil('one goes on to write', () => hasFocus(field()));
    assert.equal(await readState(), 'ACTIVE');
  });

  test('a page that goes sends the line and the close together', async () => {
    await close('Goodbye');
    assert.deepEqual(await readTexts(), ['Where is my parcel?']);
    await page.goto('about:blank');
    await waitUntilClosed();
    assert.deepEqual(await readTexts(), ['Where is my parcel?', 'Goodbye']);
    await page.goto(`${site.url}/desk`);
    await row('Closed today').waitFor();
    assert.deepEqual(await readTexts(), ['Where is my parcel?', 'Goodbye']);
  });

  test('without a connection the line and the close are sent later, once', async () => {
    await page.context().setOffline(true);
    await close('Goodbye');
    await toast().waitFor({ state: 'detached' });
    assert.equal(await row('Mine').count(), 0);
    await page.context().setOffline(false);
    await waitUntilClosed();
    await page.getByText(/^You closed/).waitFor();
    assert.deepEqual(await readTexts(), ['Where is my parcel?', 'Goodbye']);
  });
});
