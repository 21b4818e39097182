import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { describeInBrowser } from '../../support/browser/describe-in-browser.ts';
import { type DeskSite, openDeskSite } from '../../support/browser/desk-site.ts';
import type { SiteVisitor } from '../../support/fixtures/site.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

describeInBrowser('where the focus is in the desk', () => {
  let site: DeskSite;
  let page: Page;
  let visitor: SiteVisitor;

  before(async () => {
    site = await openDeskSite();
    await site.change('accountUpdate', { offerSeconds: 300 });
    page = await site.openDesk(await site.hire({ pseudo: 'Ada', chat_enabled: true, chat_max_number: 20 }));
    await becomeAvailable(page);
  });
  after(() => site?.stop());

  const field = () => page.getByRole('combobox', { name: /^Message to/ });
  const row = (id: string) => page.locator(`.rail [data-row="${id}"]`);
  const mine = () => page.getByRole('region', { name: /^Mine/ }).locator('[data-row]');
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const hasFocus = (part: Locator) => part.evaluate((element) => element.matches(':focus'));
  const waitForFocus = (what: string, part: Locator) => waitUntil(`${what} has the focus`, () => hasFocus(part));
  const waitForConversation = (id: string) => page.waitForURL(`**/desk/conversations/${id}`);

  async function becomeAvailable(desk: Page): Promise<void> {
    await desk.locator('.bar > .button').click();
    await desk.getByRole('switch', { name: 'Chat' }).click();
    await desk.locator('.bar .state', { hasText: 'Available' }).waitFor();
    await desk.keyboard.press('Escape');
    await desk.getByRole('switch', { name: 'Chat' }).waitFor({ state: 'hidden' });
  }

  async function startConversation(): Promise<string> {
    visitor = await site.createVisitor({ firstname: 'Lea', lastname: 'Roux' });
    const { id } = await visitor.startConversation({ message: 'Hello' });
    await page.locator(`[data-offer="${id}"]`).waitFor();
    return id;
  }

  async function acceptWithKey(): Promise<string> {
    const id = await startConversation();
    // The key is a letter in a text field.
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('a');
    await waitForConversation(id);
    await waitForFocus('the composer', field());
    return id;
  }

  test('after an accept one can write at once, by the key, the card and the conversation', async () => {
    await acceptWithKey();
    const second = await startConversation();
    await page
      .locator(`[data-offer="${second}"]`)
      .getByRole('button', { name: /^Accept/ })
      .click();
    await waitForConversation(second);
    await waitForFocus('the composer', field());

    const third = await startConversation();
    await page.goto(`${site.url}/desk/conversations/${third}`);
    await page.locator('.answer-strip').getByRole('button', { name: 'Accept' }).click();
    await waitForFocus('the composer', field());
    await page.keyboard.press('Alt+ArrowUp');
    await waitForConversation(second);
    await waitForFocus('the composer of the conversation before', field());
  });

  test('a declined offer leaves the focus in the rail', async () => {
    const id = await startConversation();
    const decline = page.locator(`[data-offer="${id}"]`).getByRole('button', { name: /^Decline/ });
    await decline.focus();
    await page.keyboard.press('Enter');
    await decline.waitFor({ state: 'detached' });
    await waitUntil('the focus is in the rail', () =>
      page.locator('.rail').evaluate((rail) => rail.matches(':focus-within')),
    );
  });

  test('the rows of the rail are one tab stop; arrows move, Enter opens', async () => {
    const [first, second] = [await acceptWithKey(), await acceptWithKey()];
    const stops = page.locator('.rail [data-row]:not([tabindex="-1"])');
    await waitUntil('the open one is the only stop', async () => (await stops.count()) === 1);
    assert.equal(await stops.getAttribute('data-row'), second);
    await row(second).focus();
    await page.keyboard.press('ArrowUp');
    assert.ok(await hasFocus(row(first)));
    assert.equal(await stops.getAttribute('data-row'), first);
    await page.keyboard.press('Enter');
    await waitForConversation(first);
    assert.ok(await hasFocus(row(first)), 'it stays in the list');
    await page.keyboard.press('Tab');
    assert.ok(await hasFocus(page.getByRole('link', { name: /^Messages left/ })));
    await page.keyboard.press('Shift+Tab');
    assert.ok(await hasFocus(row(first)));
  });

  test('a visitor who ends the conversation does not take the focus away', async () => {
    const id = await acceptWithKey();
    await visitor.run('mutation($id:ID!){conversationClose(input:{id:$id}){userErrors{message}}}', { id });
    await waitForFocus('what says that it is closed', page.locator('.answer-strip'));
  });

  test('a transfer says what speaks against an operator, and leads to the next conversation or to the rail', async () => {
    const bo = await site.openDesk(
      await site.hire({ pseudo: 'Bo', chat_enabled: true, chat_max_number: 20, language_list: ['fr'] }),
    );
    await becomeAvailable(bo);
    await acceptWithKey();
    for (;;) {
      const rows = await mine().count();
      await button('Transfer').click();
      await page.getByRole('option', { name: /Bo.*Does not speak English.*Available/ }).waitFor();
      await page.keyboard.press('Enter');
      await page.locator('.toast', { hasText: 'transferred to Bo' }).waitFor();
      if (rows === 1) break;
      await waitForFocus('the composer of the next one', field());
      await waitUntil('it has left', async () => (await mine().count()) === rows - 1);
    }
    await page.waitForURL('**/desk');
    await waitUntil('the focus is in the rail', () =>
      page.locator('.rail').evaluate((rail) => rail.matches(':focus-within')),
    );
  });
});
