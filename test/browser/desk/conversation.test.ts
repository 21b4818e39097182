import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { findAccessibilityProblems } from '../../support/browser/accessibility.ts';
import { assertIsAccessible } from '../../support/browser/assert-page.ts';
import { describeInBrowser } from '../../support/browser/describe-in-browser.ts';
import { acceptNext, type DeskConversation } from '../../support/browser/desk.ts';
import { dispatchFile, type FileGesture } from '../../support/browser/in-page.ts';
import { logInContext } from '../../support/browser/log-in.ts';
import { PagePool } from '../../support/browser/page-pool.ts';
import { createPng } from '../../support/fixtures/files.ts';
import { openSite, PASSWORD, type Site, type SiteOperator, type SiteVisitor } from '../../support/fixtures/site.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

const ADA = { email: 'ada@example.com', password: PASSWORD };
const HOSTILE = '<img src=x onerror="window.hacked=1"> javascript:alert(1) "><script>window.hacked=1</script>';

describeInBrowser('a conversation in the desk', () => {
  let site: Site;
  let pages: PagePool;
  let context: BrowserContext;
  let ada: SiteOperator;
  let page: Page;
  let visitor: SiteVisitor;
  let conversation: DeskConversation;

  before(async () => {
    site = await openSite({ env: { SWITCHBOARD_ATTACHMENT_MEGABYTES: '1' } });
    ada = await site.createOperator({
      email: ADA.email,
      pseudo: 'Ada',
      chat_max_number: 50,
      language_list: ['en', 'fr'],
    });
    pages = new PagePool({ hosts: [new URL(site.url).host] });
    page = await pages.open();
    context = page.context();
    await logInContext(context, site.url, ADA);
    await page.goto(`${site.url}/desk`);
  });
  after(async () => {
    await pages?.end();
    await site?.stop();
  });
  // Each test has its own visitor.
  beforeEach(() => openConversation());

  async function openConversation(profile: object = { firstname: 'Lea', lastname: 'Roux' }): Promise<void> {
    visitor = await site.createVisitor(profile);
    await visitor.startConversation({ message: 'Hello, where is my parcel?' });
    conversation = await acceptNext(ada, String(site.websiteId));
    await page.locator(`.rail [data-row="${conversation.id}"]`).click();
    await page.waitForURL(`**/desk/conversations/${conversation.id}`);
    await field().waitFor();
  }

  const field = () => page.getByRole('combobox', { name: /^Message to/ });
  const noteField = () => page.getByRole('textbox', { name: /^Note about/ });
  const log = () => page.getByRole('log');
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });

  async function write(text: string): Promise<void> {
    await field().fill(text);
    await field().press('Enter');
  }

  /** Returns whether the page prevented what the browser does by itself, which is to open the file. */
  function handleFile(target: Locator, type: FileGesture['type']): Promise<boolean> {
    return target.evaluate(dispatchFile, { type, name: `${type}.png`, bytes: [...createPng(40, 20)] });
  }

  /** What the visitor's page gets of the conversation. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field
  async function readAsVisitor(): Promise<any> {
    const { data } = await visitor.run(
      'query($id:ID!){conversation(id:$id){state messages{sequence author text attachments{name}}}}',
      { id: conversation.id },
    );
    return data.conversation;
  }

  test('messages go both ways, are acknowledged, and are seen', async () => {
    await log().getByText('Hello, where is my parcel?').waitFor();
    await context.setOffline(true);
    await write('I look at it.');
    assert.equal(await field().inputValue(), '');
    await log().locator('[data-delivery="pending"]').getByText('I look at it.').waitFor();
    await context.setOffline(false);
    await conversation.waitForText('I look at it.');
    await log().locator('[data-delivery]').waitFor({ state: 'detached' });
    assert.equal(await log().getByText('I look at it.').count(), 1);

    const { messages } = await readAsVisitor();
    await visitor.run('mutation($input:ConversationReadInput!){conversationRead(input:$input){userErrors{code}}}', {
      input: { id: conversation.id, upTo: messages.at(-1).sequence },
    });
    await log().getByText('Seen').waitFor();

    await visitor.sendMessage(conversation.id, 'Thank you');
    await log().getByText('Thank you').waitFor();
    await waitUntil('the message counts as read', async () => {
      const { unreadCount } = await conversation.read('unreadCount');
      return unreadCount === 0;
    });
  });

  test('earlier messages are loaded when one scrolls to them, and what one reads stays in its place', async () => {
    for (let number = 1; number <= 85; number += 1) await visitor.sendMessage(conversation.id, `Line ${number}`);
    await page.reload();
    await log().getByText('Line 85', { exact: true }).waitFor();
    const { y: top, height } = (await log().boundingBox()) ?? { y: 0, height: 0 };
    let parts = 0;
    for (let firstLoaded = 85; firstLoaded > 1; parts += 1) {
      const request = page.waitForRequest((each) => /query DeskMessages/.test(each.postData() ?? ''));
      await page.evaluate("document.querySelector('[role=log]').scrollTop = 0");
      const { after, first } = JSON.parse((await request).postData() ?? '').variables;
      const line = after + first - 1; // the first two messages are the question and a notice
      await log()
        .getByText(line === 1 ? 'You joined' : `Line ${line - 1}`, { exact: line !== 1 })
        .waitFor();
      const { y } = (await log().getByText(`Line ${line}`, { exact: true }).boundingBox()) ?? { y: -1 };
      assert.ok(y >= top && y < top + height / 2, `line ${line} is at ${y}`);
      firstLoaded = after === 0 ? 1 : line;
    }
    await page.evaluate("document.querySelector('[role=log]').scrollTop = 0");
    await log().getByText('Hello, where is my parcel?').waitFor();
    assert.ok(parts >= 2, 'they come in parts');
    await visitor.sendMessage(conversation.id, 'One more');
    await button('1 new message').click();
    await log().getByText('One more').waitFor();
    await button('1 new message').waitFor({ state: 'detached' });
  });

  test('a note is shown to operators, and never to the visitor', async () => {
    await field().blur();
    await page.keyboard.press('n');
    await noteField().fill('Called the carrier.');
    await noteField().press('Enter');
    const note = page.locator('.note', { hasText: 'Called the carrier.' });
    await note.getByText('Note by you').waitFor();
    // The next line is a note too: it must not go to the visitor.
    await page.keyboard.type('Second line');
    assert.equal(await noteField().inputValue(), 'Second line');
    await noteField().fill('');
    await page.keyboard.press('Escape');
    await field().waitFor();
    assert.deepEqual((await conversation.read('notes{text}')).notes, [{ text: 'Called the carrier.' }]);
    assert.doesNotMatch(JSON.stringify(await readAsVisitor()), /carrier/);
  });

  test('drafts survive a reload, the one of the note beside the one of the message', async () => {
    await field().fill('Half a sentence');
    await button('Write a note').click();
    await noteField().fill('Half a note');
    await page.reload();
    await noteField().waitFor(); // what is typed next belongs to the note
    assert.equal(await noteField().inputValue(), 'Half a note');
    await button('Back to the message').click();
    assert.equal(await field().inputValue(), 'Half a sentence');
    await page.reload();
    await field().waitFor();
  });

  test('two tabs have the same draft', async () => {
    const other = await context.newPage();
    await other.goto(page.url());
    const otherField = other.getByRole('combobox', { name: /^Message to/ });
    await field().fill('From the first tab');
    await waitUntil('the other has it', async () => (await otherField.inputValue()) === 'From the first tab');
    await otherField.fill('From the second tab');
    await waitUntil('the first has it', async () => (await field().inputValue()) === 'From the second tab');
    await other.close();
    await page.reload();
    await field().waitFor();
    assert.equal(await field().inputValue(), 'From the second tab');
    await field().fill('');
  });

  test('the cursor goes along to the next conversation', async () => {
    await openConversation({ firstname: 'Tom', lastname: 'Vega' });
    await field().click();
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.type('quick');
    await page.getByRole('combobox', { name: 'Message to Lea Roux' }).waitFor();
    assert.equal(await field().inputValue(), 'quick');
    await page.keyboard.press('Alt+ArrowDown');
    await page.keyboard.type('slow');
    assert.equal(await page.getByRole('combobox', { name: 'Message to Tom Vega' }).inputValue(), 'slow');
    // What is outside of every field stays there.
    await field().blur();
    await page.keyboard.press('Alt+ArrowUp');
    await page.getByRole('combobox', { name: 'Message to Lea Roux' }).waitFor();
    assert.equal(await page.evaluate('document.activeElement === document.body'), true);
  });

  test('without a connection the panel has what was read, and says once what comes later', async () => {
    await openConversation({ firstname: 'Tom', lastname: 'Vega' });
    await page.reload(); // the desk has not read the other conversation
    const panel = page.locator('.visitor-panel');
    const later = page.getByText('Shown when the connection is back.');
    await panel.locator('.facts').first().waitFor();
    await panel.getByText('Routed to you: why?').waitFor();
    // Its program is loaded when it is shown for the first time.
    await button('Transfer').click();
    await button('Cancel').click();
    await context.setOffline(true);
    await field().click();
    await page.keyboard.press('Alt+ArrowUp'); // to one that was not open before
    await panel.getByRole('heading', { name: 'Lea Roux' }).waitFor();
    await later.waitFor();
    assert.equal(await later.count(), 1);
    assert.equal(await panel.getByRole('alert').count(), 0);
    await button('Transfer').click();
    await waitUntil('the dialog says it too', async () => (await later.count()) === 2);
    assert.equal(await page.getByRole('dialog').getByRole('alert').count(), 0);
    await button('Cancel').click();
    await field().click();
    await page.keyboard.press('Alt+ArrowDown');
    await panel.getByRole('heading', { name: 'Tom Vega' }).waitFor();
    await panel.locator('.facts').first().waitFor();
    assert.equal(await later.count(), 0);
    await field().click();
    await page.keyboard.press('Alt+ArrowUp');
    await later.waitFor();
    await context.setOffline(false);
    await later.waitFor({ state: 'detached' });
    await panel.locator('.facts').first().waitFor();
  });

  test('files go both ways', async () => {
    const png = createPng(40, 20);
    const uploads: string[] = [];
    page.on(
      'request',
      (request) => request.method() === 'POST' && /attachment$/.test(request.url()) && uploads.push(request.url()),
    );
    await page.setInputFiles('input[type=file]', [
      { name: 'label.png', mimeType: 'image/png', buffer: png },
      { name: 'tool.zip', mimeType: 'application/zip', buffer: Buffer.from('PK') },
      { name: 'film.txt', mimeType: 'text/plain', buffer: Buffer.alloc(1_500_000, 'x') },
      { name: 'page.html', mimeType: 'text/html', buffer: Buffer.from('<script>alert(1)</script>') },
      { name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) },
    ]);
    await page.getByText('Too large: 1.5 MB. A file can have at most 1 MB.').waitFor();
    // The desk refuses the first kind itself, and the service the second one.
    const refused = page.getByText('Files of this kind cannot be sent.');
    await waitUntil('both are refused', async () => (await refused.count()) === 2);
    await page.getByText('The file is empty.').waitFor();
    await page.locator('.upload-preview').waitFor();
    assert.deepEqual(uploads, Array(2).fill(`${site.url}/attachment`), 'only the image and the page were sent');
    for (const name of ['tool.zip', 'film.txt', 'page.html', 'empty.txt']) await button(`Remove ${name}`).click();
    await field().press('Enter');
    const image = log().getByRole('img', { name: 'label.png' });
    await waitUntil('the image is shown', () =>
      image
        .evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth === 40)
        .catch(() => false),
    );
    const { messages } = await readAsVisitor();
    assert.deepEqual(messages.at(-1).attachments, [{ name: 'label.png' }]);

    const form = new FormData();
    form.set('conversationId', conversation.id);
    form.set('file', new Blob(['My order is 48210']), 'order.txt');
    const response = await fetch(`${site.url}/visitor/attachment`, {
      method: 'POST',
      headers: { authorization: `Bearer ${visitor.token}` },
      body: form,
    });
    assert.equal(response.status, 201, await response.clone().text());
    const { id } = (await response.json()) as { id: string };
    await visitor.run('mutation($input:MessageSendInput!){messageSend(input:$input){userErrors{code}}}', {
      input: { conversationId: conversation.id, text: '', attachmentIds: [id] },
    });
    await log().getByText('TXT · 17 bytes').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      log()
        .getByRole('link', { name: /order\.txt/ })
        .click(),
    ]);
    assert.equal(download.suggestedFilename(), 'order.txt');
  });

  test('a file is dropped anywhere on the conversation, a picture is pasted, and elsewhere a drop does nothing', async () => {
    const rail = page.locator('.rail');
    const hint = page.getByText('Drop to add to your message to Lea');
    assert.equal(await handleFile(rail, 'dragover'), true);
    assert.equal(await handleFile(rail, 'drop'), true);
    assert.equal(await hint.count(), 0);
    assert.equal(await handleFile(log(), 'dragover'), true);
    await hint.waitFor();
    assert.deepEqual(await findAccessibilityProblems(page, '.conversation'), []);
    assert.equal(await handleFile(log(), 'drop'), true);
    await hint.waitFor({ state: 'detached' });
    assert.equal(await handleFile(field(), 'paste'), true);
    await waitUntil('both are added', async () => (await page.locator('.upload').count()) === 2);
    await field().press('Enter');
    await waitUntil('the visitor has them', async () => {
      const { messages } = await readAsVisitor();
      return String(messages.at(-1).attachments.map(({ name }: { name: string }) => name)) === 'drop.png,paste.png';
    });

    await button('Write a note').click();
    assert.equal(await handleFile(log(), 'drop'), true);
    assert.equal(await page.locator('.upload').count(), 0);
  });

  test('a canned reply is found by its shortcut, in the language of the conversation, with the names filled in', async () => {
    const create = (shortcut: string, text: string, language: string) =>
      ada.runMutation(
        'mutation($input:CannedReplyCreateInput!){cannedReplyCreate(input:$input){userErrors{message}}}',
        { input: { scope: 'OWN', shortcut, text, language } },
      );
    await create('merci', 'Merci {{visitor.firstname}}', 'fr');
    await create('merry', 'Hello {{visitor.name}}, {{operator.pseudo}} of {{website.label}} here.', 'en');
    await field().pressSequentially('/mer');
    const list = page.getByRole('listbox', { name: 'Canned replies' });
    await list.getByRole('option').first().waitFor();
    assert.deepEqual(await list.locator('.strong').allTextContents(), ['/merry', '/merci']);
    assert.deepEqual(await findAccessibilityProblems(page, '.conversation'), []);
    await field().press('ArrowDown');
    await field().press('ArrowUp');
    await field().press('Enter');
    assert.equal(await field().inputValue(), 'Hello Lea Roux, Ada of Shop here.');
    await field().press('Enter');
    await conversation.waitForText('Hello Lea Roux, Ada of Shop here.');

    // Escape leaves the slash alone, and Enter sends it.
    await field().pressSequentially('/m');
    await list.waitFor();
    await field().press('Escape');
    await list.waitFor({ state: 'hidden' });
    await field().press('Enter');
    await conversation.waitForText('/m');

    // A slip: it is sent only if the operator means it.
    await write('/nothing');
    await page.getByText('There is no canned reply /nothing.').waitFor();
    assert.deepEqual(await findAccessibilityProblems(page, '.conversation'), []);
    assert.equal(await field().inputValue(), '/nothing');
    await field().press('Enter');
    assert.equal(await field().inputValue(), '');
    await conversation.waitForText('/nothing');
  });

  test('a transfer to another operator takes its note with it', async () => {
    const bo = await site.createOperator({ pseudo: 'Bo', language_list: ['en'] });
    await button('Transfer').click();
    await page.getByRole('option', { name: /Bo.*Available/ }).waitFor();
    assert.deepEqual(await findAccessibilityProblems(page, 'dialog'), []);
    await page.getByRole('combobox', { name: 'Find an operator' }).fill('bo');
    await page.getByLabel('Note for Bo').fill('Carrier ref. 77-1043');
    await button('Transfer to Bo').click();
    await waitUntil('the conversation is offered to Bo', async () => {
      const { data } = await bo.run('query($id:ID!){conversation(id:$id){state operator{pseudo} notes{text}}}', {
        id: conversation.id,
      });
      const found = data?.conversation;
      return (
        found?.state === 'OFFERED' && found.operator.pseudo === 'Bo' && found.notes[0].text === 'Carrier ref. 77-1043'
      );
    });
    assert.doesNotMatch(JSON.stringify(await readAsVisitor()), /77-1043/);
    await page.waitForURL((address) => !address.pathname.endsWith(`/${conversation.id}`));
    await bo.runMutation('mutation{operatorDisconnect(input:{}){userErrors{message}}}', {}).catch(() => undefined);
  });

  test('what a visitor writes is text, wherever it stands', async () => {
    await openConversation({ firstname: HOSTILE.slice(0, 60), lastname: HOSTILE.slice(0, 60) });
    await visitor.sendMessage(conversation.id, `${HOSTILE} https://example.com/?q=<b>`);
    await log().getByText('<script>window.hacked=1</script>').waitFor();
    await write(HOSTILE);
    await log().locator('[data-own]').getByText('<script>').waitFor();
    await button('Close').click();
    await page.getByRole('dialog').waitFor();
    await button('Cancel').click();
    const links = await log()
      .getByRole('link')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    assert.deepEqual(links, ['https://example.com/?q=']);
    assert.equal(await page.evaluate('window.hacked'), undefined);
    assert.equal(await log().locator('img, script, b').count(), 0);
  });

  test('on a phone the actions are in a menu', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    const menu = () => page.getByRole('button', { name: 'More: transfer, note, close' });
    await menu().click();
    assert.deepEqual(await findAccessibilityProblems(page, '.popover'), []);
    await page.getByRole('menuitem', { name: 'Note' }).click();
    await noteField().waitFor();
    const focused = () => page.evaluate('document.activeElement.ariaLabel');
    await waitUntil('one can write', async () => (await focused()) === 'Note about Lea Roux');
    await menu().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Transfer' }).waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Close the conversation with Lea Roux' }).waitFor();
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1280, height: 720 });
    await button('Transfer').waitFor();
    assert.equal(await menu().count(), 0);
  });

  test('every part is accessible, and nothing violates the content security policy', async () => {
    await write('A message');
    await assertIsAccessible(page, 'the conversation', '.conversation');
    await button('Write a note').click();
    await assertIsAccessible(page, 'a note', '.conversation');
    await button('Back to the message').click();
    await button('Emoji').click();
    await page.getByRole('combobox', { name: 'Find an emoji' }).fill('parcel');
    await assertIsAccessible(page, 'the emoji', '.conversation');
    await page.keyboard.press('Escape');
    await button('Close').click();
    await page.getByRole('dialog').waitFor();
    await assertIsAccessible(page, 'the dialog', 'dialog');
    await button('Cancel').click();
    await pages.closeAll();
  });
});
