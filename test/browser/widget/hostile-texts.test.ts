import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeInBrowser } from '../../support/browser/describe-in-browser.ts';
import { measureDrawing } from '../../support/browser/drawing-time.ts';
import { breakAddresses, usePosixLocale } from '../../support/browser/in-page.ts';
import { openWidgetSite, type WidgetSite } from '../../support/browser/widget-site.ts';
import { HOSTILE_TEXTS } from '../../support/fixtures/hostile-texts.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

describeInBrowser('hostile texts in the widget', () => {
  let site: WidgetSite;
  before(async () => {
    site = await openWidgetSite();
  });
  after(() => site?.stop());

  test('what an operator writes is drawn, in no time', async () => {
    const visitor = await site.openPage();
    const conversation = await site.startConversation(visitor);
    const drawing = await measureDrawing(visitor.page);
    const rows = visitor.panel.locator('.message');
    for (const [name, text] of Object.entries(HOSTILE_TEXTS)) {
      const count = await rows.count();
      await drawing.assertQuick(name, async () => {
        await conversation.say(text);
        await waitUntil(`${name} is there`, async () => (await rows.count()) === count + 1);
      });
    }
    assert.equal(await visitor.page.evaluate('window.hacked'), undefined);
    await visitor.send('What was that?');
    await conversation.waitForText('What was that?');
    assert.deepEqual(visitor.violations, []);
    await visitor.close();
  });

  test('a browser with a locale that is no language tag starts a conversation, and shows its times', async () => {
    const context = await site.createContext();
    await context.addInitScript(usePosixLocale);
    const visitor = await site.openTab(context, await site.createPage());
    const conversation = await site.startConversation(visitor);
    assert.equal((await conversation.read('visitor{context{language}}')).visitor.context.language, 'en-US');
    await conversation.say('Hello');
    await visitor.panel
      .locator('.message-meta')
      .getByText(/\d\d:\d\d|\d:\d\d [AP]M/)
      .last()
      .waitFor();
    assert.deepEqual(visitor.violations, []);
    await visitor.close();
  });

  test('a message that cannot be drawn is shown as it is, and is in the log of the service', async () => {
    const visitor = await site.openPage();
    const conversation = await site.startConversation(visitor);
    await visitor.page.evaluate(breakAddresses, 'fault.example');
    await conversation.say('Look at https://fault.example/');
    await visitor.waitForText('Look at https://fault.example/');
    assert.equal(await visitor.panel.getByRole('link').count(), 0);
    await conversation.say('And at https://shop.example/');
    await visitor.panel.getByRole('link', { name: 'https://shop.example/' }).waitFor();
    await waitUntil('the log has the fault', async () => site.switchboard.log().includes('"part":"widget: message"'));
    assert.match(site.switchboard.log(), /"message":"This address is broken"/);
    assert.deepEqual(visitor.violations, []);
    await visitor.close();
  });
});
