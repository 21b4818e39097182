import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertIsAccessible } from '../../support/browser/assert-page.ts';
import { describeInBrowser } from '../../support/browser/describe-in-browser.ts';
import { findOverflow, isAboveField, readFocusedName } from '../../support/browser/in-page.ts';
import type { WidgetPage } from '../../support/browser/widget-page.ts';
import { openWidgetSite, type WidgetSite } from '../../support/browser/widget-site.ts';
import { PDF } from '../../support/fixtures/files.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

const FORM = { name: 'OPTIONAL', email: 'REQUIRED', question: 'OPTIONAL', consent: 'REQUIRED' };
const CLOSED = { openingHours: { weekly: [{ day: 'MONDAY', from: '09:00', to: '09:01' }] } };

describeInBrowser('access to the widget', () => {
  let site: WidgetSite;
  before(async () => {
    site = await openWidgetSite();
  });
  after(() => site?.stop());

  test('every state is accessible in both themes', async () => {
    // The website's own colour.
    const visitor = await site.openPage({
      widget: { preChat: FORM, accentColor: '#0f766e' },
      head: '<meta name="color-scheme" content="light dark">',
    });
    const check = (state: string) => assertIsAccessible(visitor.page, state);
    await visitor.launcher.waitFor();
    await check('the button');
    await visitor.openPanel();
    await check('the form');
    await visitor.button('Start a chat').click();
    await check('the form with errors');
    await visitor.panel.getByRole('textbox', { name: 'Your email address' }).fill('someone@example.com');
    await visitor.panel.getByRole('checkbox').check();
    await visitor.button('Start a chat').click();
    await visitor.text('You keep your place if you change the page.').waitFor();
    await check('the wait');
    const conversation = await site.accept(visitor);
    await conversation.say('Look at https://shop.example/help');
    await visitor.waitForText('Look at https://shop.example/help');
    await visitor.send('Thank you');
    await visitor.waitUntilSent();
    await conversation.markRead();
    await visitor.text('Seen').waitFor();
    const chooser = visitor.page.waitForEvent('filechooser');
    await visitor.button('Attach a file').click();
    await (await chooser).setFiles([
      { name: 'manual.pdf', mimeType: 'application/pdf', buffer: PDF },
      {
        name: 'program.exe',
        mimeType: 'application/x-msdownload',
        buffer: Buffer.from('MZ\x90\0\x03\0\0\0', 'latin1'),
      },
    ]);
    await visitor.text('Files of this kind cannot be sent.').waitFor();
    await check('the conversation with files to send');
    await visitor.send('');
    await visitor.panel.getByRole('link', { name: 'Download manual.pdf 1 kB' }).waitFor();
    await visitor.button('Options').click();
    await check('the menu');
    await visitor.panel.getByRole('menuitem', { name: 'End the conversation' }).click();
    await check('the question before the end');
    await visitor.panel.getByRole('alertdialog').getByRole('button', { name: 'End the conversation' }).click();
    await visitor.button('Send answers').click();
    await check('the survey with errors');
    for (const group of await visitor.panel.getByRole('group').all()) await group.getByRole('radio').first().check();
    await visitor.button('Send answers').click();
    await visitor.text('Thank you for your answer.').waitFor();
    await check('the thanks');
    await visitor.close();

    const late = await site.openPage({
      settings: CLOSED,
      head: '<meta name="color-scheme" content="light dark">',
    });
    await late.openPanel();
    await late.button('Leave a message').click();
    await assertIsAccessible(late.page, 'the form for a message');
    await late.panel.getByRole('textbox', { name: 'Your email address' }).fill('someone@example.com');
    await late.panel.getByRole('textbox', { name: 'Message' }).fill('Please call me.');
    await late.button('Leave a message').click();
    await late.text('Thank you. We have received your message.').waitFor();
    await assertIsAccessible(late.page, 'the message was left');
    await late.close();
  });

  test('the whole story by keyboard alone', async () => {
    const visitor = await site.openPage({
      ...{ widget: { preChat: { name: 'REQUIRED', consent: 'REQUIRED' } }, body: '<p><a href="#">A link</a>' },
    });
    const { keyboard } = visitor.page;
    await visitor.launcher.waitFor();
    await tabTo(visitor, /^Questions\?/);
    await keyboard.press('Enter');
    await waitForFocus(visitor, /^Your name/); // the focus moved into the panel
    await keyboard.press('Enter');
    await waitForFocus(visitor, /^Your name/); // the first field with an error
    await visitor.text('Please fill in this field.').waitFor();
    await keyboard.type('Katherine');
    await tabTo(visitor, /^I agree/);
    await keyboard.press('Space');
    await tabTo(visitor, /^Start a chat$/);
    await keyboard.press('Enter');
    await waitForFocus(visitor, /^Message$/);
    await keyboard.type('First');
    await keyboard.press('Shift+Enter');
    await keyboard.type('and second line');
    await keyboard.press('Enter');
    const conversation = await site.accept(visitor);
    await conversation.waitForText('First\nand second line');

    // An event does not move the focus, and Escape gives it back to the button.
    await conversation.say('Good morning');
    await visitor.waitForText('Good morning');
    await waitForFocus(visitor, /^Message$/);
    await keyboard.press('Escape');
    await visitor.panel.waitFor({ state: 'hidden' });
    await waitForFocus(visitor, /Open the chat/);
    await keyboard.press('Enter');
    await waitForFocus(visitor, /^Message$/);

    await tabTo(visitor, /^Options$/, 'Shift+Tab');
    await keyboard.press('Enter');
    await waitForFocus(visitor, /^Download the transcript$/);
    await keyboard.press('ArrowDown');
    await waitForFocus(visitor, /^End the conversation$/);
    await keyboard.press('Escape');
    await waitForFocus(visitor, /^Options$/);
    assert.ok(await visitor.panel.isVisible(), 'Escape closed the menu alone');
    await keyboard.press('Enter');
    await keyboard.press('End');
    await waitForFocus(visitor, /^End the conversation$/);
    await keyboard.press('Enter');
    await waitForFocus(visitor, /^Cancel$/);
    await keyboard.press('Escape');
    await visitor.panel.getByRole('alertdialog').waitFor({ state: 'detached' });
    await waitForFocus(visitor, /^Options$/);
    await keyboard.press('Enter');
    await keyboard.press('End');
    await keyboard.press('Enter');
    await waitForFocus(visitor, /^Cancel$/);
    await keyboard.press('Tab');
    await waitForFocus(visitor, /^End the conversation$/);
    await keyboard.press('Enter');

    await visitor.panel.getByRole('radio').first().waitFor();
    for (let question = 0; question < 3; question += 1) {
      await tabTo(visitor, /^[1-5]$/);
      await keyboard.press('ArrowRight');
    }
    await tabTo(visitor, /^Send answers$/);
    await keyboard.press('Enter');
    await visitor.text('Thank you for your answer.').waitFor();
    await tabTo(visitor, /^Start a new conversation$/);
    await keyboard.press('Enter');
    await waitForFocus(visitor, /^Your name/);
    assert.deepEqual(visitor.violations, []);
    await visitor.close();
  });

  for (const viewport of [
    { width: 320, height: 640 },
    { width: 390, height: 844 },
  ]) {
    test(`fills a phone of ${viewport.width} pixels, with the field in sight`, async () => {
      const visitor = await site.openPage({
        context: { viewport, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
        body: '<p style="height: 3000px">A long page',
      });
      await visitor.launcher.tap();
      await visitor.panel.waitFor();
      const boxOf = async (part: 'panel' | 'composer') => (await visitor[part].boundingBox()) ?? { y: 0, height: 0 };
      const isInSight = async () => {
        const { y, height } = await boxOf('composer');
        return height >= 20 && y + height <= viewport.height;
      };
      await waitUntil('the panel fills the screen', async () => {
        const box = JSON.stringify(await boxOf('panel'));
        return box === JSON.stringify({ x: 0, y: 0, ...viewport });
      });
      assert.ok(await isInSight());
      await visitor.send('Hello');
      const conversation = await site.accept(visitor);
      for (let line = 1; line <= 12; line += 1)
        await conversation.say(`Line ${line} of a long answer to a short question`);
      await visitor.waitForText('Line 12 of a long answer to a short question');
      await visitor.composer.fill('A draft\nof several\nlines\nthat\ngrows\nand\ngrows\nand\ngrows');
      assert.ok(await isInSight());
      assert.deepEqual(await visitor.page.evaluate(findOverflow), []);
      await waitUntil('the newest message is in sight', () =>
        visitor.panel.locator('.message').last().evaluate(isAboveField),
      );

      // The page behind does not scroll, and comes back as it was.
      assert.equal(await visitor.page.evaluate('getComputedStyle(document.documentElement).overflowY'), 'hidden');
      await visitor.button('Minimize').tap();
      await visitor.launcher.waitFor();
      assert.equal(await visitor.page.evaluate('getComputedStyle(document.documentElement).overflowY'), 'visible');
      assert.deepEqual(await visitor.page.evaluate(findOverflow), []);
      await conversation.close();
      assert.deepEqual(visitor.violations, []);
      await visitor.close();
    });
  }
});

/** Moves the focus until it is on the element with this name. */
async function tabTo(visitor: WidgetPage, name: RegExp, key = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 15; presses += 1) {
    await visitor.page.keyboard.press(key);
    if (name.test(await readFocus(visitor))) return;
  }
  assert.fail(`${key} does not reach ${name}; the focus is on "${await readFocus(visitor)}"`);
}

async function waitForFocus(visitor: WidgetPage, name: RegExp): Promise<void> {
  let focused = '';
  await waitUntil(`the focus is on ${name}`, async () => {
    focused = await readFocus(visitor);
    return name.test(focused);
  }).catch((error) => {
    throw new Error(`${error.message}; it is on "${focused}"`);
  });
}

function readFocus(visitor: WidgetPage): Promise<string> {
  return visitor.page.evaluate(readFocusedName);
}
