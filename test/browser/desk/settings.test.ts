import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertFits, assertIsAccessible, assertPageIsSound, LANGUAGES } from '../../support/browser/assert-page.ts';
import { describeInBrowser } from '../../support/browser/describe-in-browser.ts';
import { type DeskSite, openDeskSite } from '../../support/browser/desk-site.ts';
import type { Login } from '../../support/browser/log-in.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

const XSS = '<img src=x onerror="document.title=\'attacked\'">';
const LEAVE = 'mutation($input:MessageLeaveInput!){messageLeave(input:$input){userErrors{field message}}}';

describeInBrowser('the settings of the desk and the messages left', () => {
  let site: DeskSite;
  let operator: Login & { readonly id: number };
  let page: Page;
  before(async () => {
    site = await openDeskSite();
  });
  after(() => site?.stop());
  afterEach(() => site.closeDesks());
  // Each test has its own settings.
  beforeEach(async () => {
    operator = await site.hire({ pseudo: 'Ana Silva', call_enabled: true });
  });

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const readOperator = async (fields: string) => {
    const { data, errors } = await site.admin.run(`query($id:ID!){operator(id:$id){${fields}}}`, { id: operator.id });
    assert.deepEqual(errors, []);
    return data.operator;
  };
  const readLook = (of: Page) =>
    of.evaluate('[document.documentElement.lang, document.documentElement.dataset.theme].join()');

  /** As the rail shows it. */
  async function readOpenCount(): Promise<number> {
    const link = page.getByRole('link', { name: /^Messages left/ });
    return Number((await link.innerText()).match(/\d+/)?.[0]);
  }

  async function leaveMessage(text: string, name = 'Lea'): Promise<void> {
    const visitor = await site.createVisitor();
    const input = { name, email: 'lea@example.com', text };
    const { data, errors } = await visitor.run(LEAVE, { input });
    assert.deepEqual(errors, []);
    assert.deepEqual(data.messageLeave.userErrors, []);
  }

  test('the profile is saved, and nothing is lost when it fails', async () => {
    page = await site.openDesk(operator, '/desk/settings');
    await page.getByLabel('Pseudonym').fill('');
    await page.getByLabel('Status').click();
    await page.getByText('Enter a pseudonym.').waitFor();
    await button('Save profile').click();
    await page.getByLabel('Pseudonym').fill('Ana S.');
    await page.getByLabel('Status').fill('Until 4 pm');
    await page.getByLabel('About you').fill(XSS);
    await page.getByLabel('City').fill('Lisbon');
    await page.context().setOffline(true);
    await button('Save profile').click();
    await page.getByText('The server cannot be reached.').first().waitFor();
    assert.equal(await page.getByLabel('City').inputValue(), 'Lisbon');
    await page.context().setOffline(false);
    await button('Save profile').click();
    await page.getByText('The profile is saved.').waitFor();
    const expected = { pseudo: 'Ana S.', profile: { status: 'Until 4 pm', description: XSS, city: 'Lisbon' } };
    assert.deepEqual(await readOperator('pseudo profile{status description city}'), expected);
  });

  test('language and theme take effect at once, and are there in another browser', async () => {
    page = await site.openDesk(operator, '/desk/settings');
    await page.getByText('Dark', { exact: true }).click();
    await page.getByRole('combobox', { name: 'Language' }).selectOption('fr');
    await page.getByRole('heading', { name: 'Réglages' }).waitFor();
    await waitUntil(
      'the service has the language',
      async () => (await readOperator('languageAdmin')).languageAdmin === 'fr',
    );
    assert.equal(await readLook(page), 'fr,dark');
    const other = await site.openDesk(operator, '/desk/settings');
    await other.getByRole('heading', { name: 'Réglages' }).waitFor();
    assert.equal(await readLook(other), 'fr,dark');
  });

  test('phone calls: a number is checked before it is saved', async () => {
    page = await site.openDesk(operator, '/desk/settings');
    await page.getByText('By phone', { exact: true }).click();
    const number = page.getByLabel('Phone number');
    await number.fill('030 1234');
    await button('Save phone calls').click();
    await page.getByText('Enter a number with the international prefix').waitFor();
    assert.equal(await page.locator(':focus').getAttribute('type'), 'tel');
    await number.fill('+49 30 1234567');
    await button('Save phone calls').click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    assert.deepEqual(await readOperator('callConfig{type phoneNumber}'), {
      callConfig: { type: 'ANSWER_FROM_PHONE', phoneNumber: '+49301234567' },
    });
  });

  test('notifications: the browser is asked, and what it blocks is said', async () => {
    page = await site.openDesk(operator, '/desk/settings');
    const wish = page.getByRole('switch', { name: 'Notifications of the system' });
    // No one answers the question of this browser, which then blocks.
    await wish.check();
    await page.getByText('Your browser blocks them.').waitFor();
    // A headless shell never grants it.
    await page.addInitScript("Object.defineProperty(Notification, 'permission', { get: () => 'granted' })");
    await page.reload();
    await wish.waitFor();
    assert.equal(await wish.isChecked(), true);
    assert.equal(await page.getByText('Your browser blocks them.').count(), 0);
    await button('Play it').click();
  });

  test('a choice reaches the other desk of the operator at once', async () => {
    page = await site.openDesk(operator, '/desk/settings');
    const other = await site.openDesk(operator, '/desk/settings');
    const enterSends = other.getByRole('switch', { name: 'Enter sends' });
    await enterSends.waitFor();
    await page.getByText('Compact', { exact: true }).click();
    await page.getByText('Dark', { exact: true }).click();
    await page.getByRole('switch', { name: 'Enter sends' }).uncheck();
    await other.getByText('Enter starts a new line').waitFor();
    assert.equal(await enterSends.isChecked(), false);
    const look = '[document.documentElement.dataset.theme, document.documentElement.dataset.density].join()';
    await waitUntil('the other desk looks the same', async () => (await other.evaluate(look)) === 'dark,compact');
    await page.locator('.settings-form select').first().selectOption('de');
    await waitUntil(
      'it speaks the same language',
      async () => (await other.evaluate('document.documentElement.lang')) === 'de',
    );
    await page.locator('.settings-form select').first().selectOption('en');
    await enterSends.waitFor();
    await other.reload();
    await enterSends.waitFor();
    assert.equal(await enterSends.isChecked(), false);
  });

  test('canned replies: create, change, use, delete', async () => {
    page = await site.openDesk(operator, '/desk/settings');
    await page.getByText('There are no canned replies yet.').waitFor();
    await button('New reply').click();
    await button('Save reply').click();
    await page.getByText('Enter a shortcut.').waitFor();
    await page.getByLabel('Shortcut', { exact: true }).fill('hello');
    await page.getByLabel('Text', { exact: true }).fill('Hello ');
    await button('Insert: First name of the visitor').click();
    await page.keyboard.type(`, I am here. ${XSS}`);
    await page.locator('.canned-preview').getByText(`Hello Lea, I am here. ${XSS}`).waitFor();
    await button('Save reply').click();
    await page.getByText('The reply is created.').waitFor();
    await page.getByText('/hello', { exact: true }).waitFor();

    await button('New reply').click();
    await page.getByLabel('Shortcut', { exact: true }).fill('HELLO');
    await page.getByLabel('Text', { exact: true }).fill('Another');
    await button('Save reply').click();
    await page.getByText('Another reply of the same owner has this shortcut').waitFor();
    assert.equal(await page.getByLabel('Text', { exact: true }).inputValue(), 'Another');
    await page.locator('.canned-form').getByLabel('Language').selectOption('fr');
    await button('Save reply').click();
    await page.getByText('The reply is created.').waitFor();

    await button('Edit /hello').click();
    await page.getByLabel('Text', { exact: true }).fill('Good morning');
    await button('Save reply').click();
    await page.getByText('The reply is saved.').waitFor();
    await page.getByLabel('Find a reply').fill('morning');
    await page.getByText('Found: 1').waitFor();
    await button('Delete /hello').click();
    await page.getByRole('dialog').getByText('The reply is gone from all your desks.').waitFor();
    await button('Delete').click();
    await page.getByText('/hello is deleted.').waitFor();
    await page.getByText('Found: 0').waitFor();
  });

  test('canned replies: what a file does is shown before it is imported, and the export is the same again', async () => {
    page = await site.openDesk(operator, '/desk/settings');
    const choose = async (name: string, text: string) => {
      await page.getByLabel('File', { exact: true }).setInputFiles({ name, mimeType: '', buffer: Buffer.from(text) });
    };
    await button('Import').click();
    const chooser = page.waitForEvent('filechooser');
    await button('Choose a file').click();
    await chooser;
    await choose('broken.json', '[{');
    await page.getByText('The file cannot be read.').waitFor();
    await choose('replies.csv', `shortcut;text;language\nbye;"Good bye; ${XSS}";en\nhas space;x;\nciao;Ciao;it\n`);
    await page.getByText('new: 2 · left out: 1').waitFor();
    await page.getByText('At most 40 letters, digits').waitFor();
    await button('Import 2').click();
    await page.getByText('Imported: 2 new, 0 changed.').waitFor();
    const downloading = page.waitForEvent('download');
    await button('Export as CSV').click();
    const exported = readFileSync(await (await downloading).path(), 'utf8');
    await button('Import').click();
    await choose('again.csv', exported);
    await page.getByText('as it is: 2', { exact: true }).waitFor();
    await choose('other.json', JSON.stringify([{ shortcut: 'ciao', text: 'Arrivederci', language: 'it' }]));
    await page.getByText('changed: 1', { exact: true }).waitFor();
    await assertPageIsSound(page, 'import', '.canned-section');
    await button('Import 1').click();
    await page.getByText('Imported: 0 new, 1 changed.').waitFor();
    assert.equal(await page.locator('img[src="x"]').count(), 0);
  });

  test('canned replies of the account are read only for operators', async () => {
    await site.change('cannedReplyCreate', { scope: 'ACCOUNT', shortcut: 'all', text: 'For everyone' });
    page = await site.openDesk(operator, '/desk/settings');
    await page.getByText('For everyone').waitFor();
    assert.equal(await button('Edit /all').count(), 0);
    await button('New reply').click();
    assert.equal(await page.getByLabel('Who can use it').count(), 0);
  });

  test('a message left is answered by mail, taken, and marked as done with an undo', async () => {
    await leaveMessage(`Where is it?\n&bcc=all@example.com ${XSS}`, `Lea ${XSS}`);
    page = await site.openDesk(operator, '/desk/messages-left');
    const row = page.getByRole('article');
    await row.getByText('Where is it?').waitFor();
    const href = (await row.getByRole('link', { name: 'Answer by email' }).getAttribute('href')) ?? '';
    const mail = new URL(href);
    assert.equal(mail.pathname, 'lea@example.com');
    assert.deepEqual([...mail.searchParams.keys()], ['subject', 'body']);
    assert.match(mail.searchParams.get('body') ?? '', /> Where is it\?\r\n> &bcc=all@example\.com <img/);

    const before = await readOpenCount();
    assert.ok(before >= 1);
    await button('Assign to me').click();
    await row.getByText('Assigned to you').waitFor();
    await page.getByRole('switch', { name: 'Assigned to me' }).check();
    await row.getByText('Where is it?').waitFor();

    await button('Mark as done').click();
    await page.getByText('No open messages').waitFor();
    await waitUntil('the rail counts one less', async () => (await readOpenCount()) === before - 1);
    await button('Undo').click();
    await row.getByText('Where is it?').waitFor();
    await button('Mark as done').click();
    await page.getByText('No open messages').waitFor();
    await page.getByText('Done', { exact: true }).click();
    await row.getByText('Done by Ana Silva').waitFor();
    await button('Reopen').click();
    await page.getByText('Nothing is done yet').waitFor();
    assert.equal(await page.locator('img[src="x"]').count(), 0);
    assert.notEqual(await page.title(), 'attacked');
  });

  test('older messages are loaded, and a new one appears when the desk comes to the front', async () => {
    for (let number = 1; number <= 22; number += 1) await leaveMessage(`Message ${number}.`);
    page = await site.openDesk(operator, '/desk/messages-left');
    await page.getByText('Message 22.').waitFor();
    assert.equal(await page.getByRole('article').count(), 20);
    await button('Show older ones').click();
    await page.getByText('Message 1.', { exact: true }).waitFor();
    const before = await readOpenCount();
    await leaveMessage('The newest');
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.getByText('The newest').waitFor();
    await waitUntil('the rail counts it', async () => (await readOpenCount()) === before + 1);
    await page.goto(`${site.url}/desk`);
    const link = page.getByRole('link', { name: /^Messages left/ });
    await link.waitFor();
    await leaveMessage('One more');
    await link.click();
    await page.getByText('One more').waitFor();
    await waitUntil('the rail counts what the list shows', async () => (await readOpenCount()) === before + 2);
    await button('Show older ones').click();
    await page.getByText('Message 1.', { exact: true }).waitFor();
  });

  test('is sound in both themes, from 320 pixels and in four languages', async () => {
    await leaveMessage(`Where is it? ${'long'.repeat(60)}`, `Lea ${'Roux'.repeat(20)}`);
    page = await site.openDesk(operator, '/desk/messages-left');
    await page.getByText('Where is it?').first().waitFor();
    await assertPageIsSound(page, 'messages left', '.messages-left');
    await page.goto(`${site.url}/desk/settings`);
    const language = page.locator('.settings-form select').first();
    for (const each of LANGUAGES) {
      await language.selectOption(each);
      await assertFits(page, `settings, ${each}`, '.settings', each);
    }
    await assertIsAccessible(page, 'settings', '.settings');
  });
});
