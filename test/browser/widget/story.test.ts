import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { describeInBrowser } from '../../support/browser/describe-in-browser.ts';
import { setAvailable } from '../../support/browser/desk.ts';
import { type Transfer, transferFile } from '../../support/browser/in-page.ts';
import type { WidgetPage } from '../../support/browser/widget-page.ts';
import { openWidgetSite, type WidgetSite } from '../../support/browser/widget-site.ts';
import { createPng, PDF } from '../../support/fixtures/files.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

const FULL_FORM = { name: 'OPTIONAL', email: 'REQUIRED', question: 'REQUIRED', consent: 'REQUIRED' };

describeInBrowser('a conversation in the widget', () => {
  let site: WidgetSite;
  before(async () => {
    site = await openWidgetSite();
  });
  after(() => site?.stop());

  test('from the button to the survey, and again', async () => {
    const visitor = await site.openPage({ widget: { preChat: FULL_FORM, whenUnavailable: 'QUEUE' } });
    await visitor.openPanel();

    // The form says what is missing, and keeps what was typed.
    await visitor.button('Start a chat').click();
    assert.deepEqual(await visitor.panel.locator('.field-error').allInnerTexts(), [
      'Please fill in this field.',
      'Please fill in this field.',
      'Please agree first.',
    ]);
    await visitor.panel.getByRole('textbox', { name: 'Your name' }).fill('Grace');
    const email = visitor.panel.getByRole('textbox', { name: 'Your email address' });
    await email.fill('grace@example');
    await visitor.text('Enter an address such as name@example.com.').waitFor();
    await email.fill('grace@example.com');
    await visitor.panel.getByRole('textbox', { name: 'Your question' }).fill('Is the pack waterproof?');
    await visitor.panel.getByRole('checkbox').check();
    assert.equal(await visitor.panel.locator('.field-error').count(), 0);
    await visitor.button('Start a chat').click();

    // The visitor waits, and then an operator joins.
    await visitor.waitForText('Is the pack waterproof?');
    await visitor.text('Connecting …').waitFor();
    assert.equal(await visitor.text('All operators are busy').count(), 0);
    const conversation = await site.accept(visitor);
    assert.deepEqual(await conversation.read('visitor{firstname email}'), {
      visitor: { firstname: 'Grace', email: 'grace@example.com' },
    });

    // Messages, typing and seen go both ways.
    await conversation.type();
    await visitor.text('Ada Marin is typing').waitFor();
    await conversation.say('Yes, it is.');
    await visitor.waitForText('Yes, it is.');
    assert.equal(await visitor.text('Ada Marin is typing').count(), 0);
    await visitor.send('Thank you!');
    await conversation.waitForText('Thank you!');
    await visitor.waitUntilSent();
    await conversation.markRead();
    await visitor.text('Seen').waitFor();
    await waitUntil('the operator sees that the answer was read', async () => {
      const { readByVisitorUpTo } = await conversation.read('readByVisitorUpTo');
      return readByVisitorUpTo >= 2;
    });
    assert.deepEqual(await conversation.texts(), ['Is the pack waterproof?', 'Yes, it is.', 'Thank you!']);
    assert.deepEqual(await visitor.texts(), await conversation.texts());

    // The transcript is a text file.
    const download = visitor.page.waitForEvent('download');
    await visitor.chooseFromMenu('Download the transcript');
    const transcript = await readFile(await (await download).path(), 'utf8');
    assert.match(transcript, /You: Is the pack waterproof\?\n.*\n.*Ada Marin: Yes, it is\.\n.*You: Thank you!\n/);

    // The end is confirmed first.
    await visitor.chooseFromMenu('End the conversation');
    await visitor.text('Do you want to end this conversation?').waitFor();
    await visitor.panel.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
    assert.deepEqual(await conversation.read('state'), { state: 'ACTIVE' });
    await visitor.end();

    // The survey says what is missing, and begins with its first question.
    await visitor.panel.locator('input[name=welcome]:focus').waitFor({ state: 'attached' });
    await visitor.button('Send answers').click();
    assert.equal(await visitor.panel.locator('.field-error').count(), 3);
    for (const [question, score] of Object.entries({ Welcome: 5, Solution: 4, 'Waiting time': 3 })) {
      await visitor.panel
        .getByRole('group', { name: question })
        .getByRole('radio', { name: `${score}` })
        .check();
    }
    await visitor.panel.getByRole('textbox', { name: 'Your comment' }).fill('Quick!');
    await visitor.button('Send answers').click();
    await visitor.text('Thank you for your answer.').waitFor();
    assert.deepEqual(
      await conversation.read('state closedBy satisfaction{noteWelcome noteResolution noteDelay comment}'),
      {
        ...{ state: 'CLOSED', closedBy: 'VISITOR' },
        satisfaction: { noteWelcome: 5, noteResolution: 4, noteDelay: 3, comment: 'Quick!' },
      },
    );

    // Another conversation starts empty.
    await visitor.button('Start a new conversation').click();
    const question = visitor.panel.getByRole('textbox', { name: 'Your question' });
    await question.waitFor();
    assert.equal(await question.inputValue(), '');
    assert.deepEqual(visitor.violations, []);
    await visitor.close();
  });

  test('shows the place in the queue while no operator is available', async () => {
    await setAvailable(site.operator, false);
    const first = await site.openPage({ widget: { whenUnavailable: 'QUEUE' } });
    const context = await site.createContext();
    await context.clock.install();
    const second = await site.openTab(context, first.page.url());
    for (const [index, visitor] of [first, second].entries()) {
      await visitor.openPanel();
      await visitor.send('Hello');
      await visitor.text(`You are number ${index + 1} in line`).waitFor();
    }
    await first.end();
    await first.text('The conversation has ended.').first().waitFor();
    await second.page.clock.runFor(10_000); // how often it asks for the place
    await second.text('You are number 1 in line').waitFor();
    await setAvailable(site.operator, true);
    const conversation = await site.accept(second);
    await conversation.close();
    await second.text('The conversation has ended.').first().waitFor();
    assert.ok(await second.panel.evaluate((panel) => panel.matches(':focus')), 'the focus stays in the panel');
    await Promise.all([first.close(), second.close()]);
  });

  test('takes files by button, paste and drop, and says why it does not take others', async () => {
    const visitor = await site.openPage();
    const conversation = await site.startConversation(visitor);
    const picture = { type: 'image/png', bytes: [...createPng(40, 30)] };
    const upload = visitor.panel.locator('.upload');
    const addFile = async (name: string, bytes: Buffer, mimeType: string) => {
      const chooser = visitor.page.waitForEvent('filechooser');
      await visitor.button('Attach a file').click();
      await (await chooser).setFiles({ name, mimeType, buffer: bytes });
    };

    await addFile('manual.pdf', PDF, 'application/pdf');
    await visitor.send('By the button');
    await visitor.panel.getByRole('link', { name: 'Download manual.pdf 1 kB' }).waitFor();

    await transfer(visitor, 'paste', { ...picture, name: 'pasted.png' });
    await upload.filter({ hasText: 'pasted.png' }).waitFor();
    await visitor.send('Pasted');
    const image = visitor.panel.getByRole('img', { name: 'pasted.png' });
    await waitUntil('the image is shown', () =>
      image.evaluate((element: { naturalWidth?: number }) => element.naturalWidth === 40),
    );

    await transfer(visitor, 'drop', { ...picture, name: 'dropped.png' });
    await upload.filter({ hasText: 'dropped.png' }).waitFor();
    await visitor.button('Cancel: dropped.png').click();
    await upload.waitFor({ state: 'detached' });

    await addFile(
      'program.exe',
      Buffer.from('MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff', 'latin1'),
      'application/x-msdownload',
    );
    await visitor.text('Files of this kind cannot be sent.').waitFor();
    await visitor.button('Cancel: program.exe').click();

    await transfer(visitor, 'drop', { name: 'film.bin', type: '', bytes: 60_000_000 });
    await visitor.text(/^Larger than \d+ MB$/).waitFor();
    await visitor.send('No film');
    await conversation.waitForText('No film');
    const { messages } = await conversation.read('messages(last:3){text attachments{name}}');
    assert.deepEqual(messages, [
      { text: 'By the button', attachments: [{ name: 'manual.pdf' }] },
      { text: 'Pasted', attachments: [{ name: 'pasted.png' }] },
      { text: 'No film', attachments: [] },
    ]);
    assert.deepEqual(visitor.violations, []);
    await conversation.close();
    await visitor.close();
  });

  test('shows markup as text, and makes links only of web addresses', async () => {
    const visitor = await site.openPage();
    const conversation = await site.startConversation(visitor);
    const attack = '<img src=x onerror="window.isAttacked=true"><script>window.isAttacked=true</script>';
    await conversation.say(attack);
    await visitor.waitForText(attack);
    const links =
      'javascript:alert(1) javascript://x/%0Aalert(1) data:text/html,x https://shop.example/a?b=1. JAVASCRIPT:https://x.example/';
    await conversation.say(links);
    await visitor.waitForText(links);
    const addresses = await visitor.panel
      .locator('.bubble a')
      .evaluateAll((links: { href?: string; rel?: string }[]) => links.map(({ href, rel }) => [href, rel]));
    const rel = 'noopener noreferrer nofollow';
    assert.deepEqual(addresses, [
      ['https://shop.example/a?b=1', rel],
      ['https://x.example/', rel],
    ]);
    await visitor.send(attack);
    await conversation.waitForText(attack);
    await visitor.waitUntilSent();
    assert.equal(await visitor.panel.locator('.bubble :is(img, script)').count(), 0);
    assert.equal(await visitor.page.evaluate('window.isAttacked'), undefined);
    assert.deepEqual(visitor.violations, []);
    await conversation.close();
    await visitor.close();
  });

  test('takes a message while the website is closed, and shows when it is open', async () => {
    const weekly = [{ day: 'MONDAY', from: '09:00', to: '17:30' }];
    const dates = Array.from({ length: 14 }, (_, day) => ({
      date: new Date(Date.now() + (day - 1) * 24 * 3600 * 1000).toISOString().slice(0, 10),
      ranges: [],
    }));
    const settings = { timezone: 'Europe/Berlin', openingHours: { weekly, dates } };
    const visitor = await site.openPage({ settings });
    await visitor.launcher.filter({ hasText: 'Leave a message' }).waitFor();
    await visitor.openPanel();
    const hours = await visitor.panel.locator('.hours').innerText();
    assert.match(hours, /Monday\s+9:00 – 17:30/);
    assert.match(hours, /Tuesday\s?–\s?Sunday\s+Closed/);
    await visitor.button('Leave a message').click();
    assert.equal(await visitor.panel.locator('.field-error').count(), 2);
    await visitor.panel.getByRole('textbox', { name: 'Your email address' }).fill('alan@example.com');
    await visitor.panel.getByRole('textbox', { name: 'Message' }).fill('Please call me.');
    await visitor.button('Leave a message').click();
    await visitor.text('Thank you. We have received your message.').waitFor();
    const { data } = await site.admin.run('{messagesLeft(first:1){nodes{text email page}}}');
    const page = visitor.page.url();
    assert.deepEqual(data.messagesLeft.nodes, [{ text: 'Please call me.', email: 'alan@example.com', page }]);
    await visitor.button('Close the chat').click();
    await visitor.launcher.waitFor();
    assert.deepEqual(visitor.violations, []);
    await visitor.close();
  });
});

function transfer(visitor: WidgetPage, kind: Transfer['kind'], file: Omit<Transfer, 'kind' | 'selector'>) {
  const selector = kind === 'paste' ? '.panel-composer textarea' : '.messages';
  return visitor.page.evaluate(transferFile, { ...file, kind, selector });
}
