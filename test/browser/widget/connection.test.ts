import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { describeInBrowser } from '../../support/browser/describe-in-browser.ts';
import type { DeskConversation } from '../../support/browser/desk.ts';
import type { WidgetPage } from '../../support/browser/widget-page.ts';
import { openWidgetSite, type WidgetSite } from '../../support/browser/widget-site.ts';
import { startTcpProxy, type TcpProxy } from '../../support/databases/tcp-proxy.ts';
import { createLargePng } from '../../support/fixtures/files.ts';
import { NO_LIMITS } from '../../support/fixtures/site.ts';
import { findStablePort } from '../../support/processes/ports.ts';
import { type SwitchboardProcess, startSwitchboardProcess } from '../../support/processes/switchboard.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

describeInBrowser('the connection of the widget', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-widget-'));
  let port: number;
  let service: SwitchboardProcess;
  let proxy: TcpProxy;
  let site: WidgetSite;

  const startService = () => startSwitchboardProcess({ folder, env: { ...NO_LIMITS, PORT: String(port) } });

  before(async () => {
    port = await findStablePort();
    service = await startService();
    proxy = await startTcpProxy({ host: '127.0.0.1', port });
    site = await openWidgetSite(service, `http://127.0.0.1:${proxy.port}`);
  });
  after(async () => {
    await site?.stop();
    await service?.stop();
    await proxy?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('two tabs share one conversation, its draft and its end', async () => {
    const first = await site.openPage();
    const conversation = await site.startConversation(first);
    const second = await site.openTab(first.page.context(), first.page.url());
    await second.openPanel();
    await second.waitForText('Hello');
    await conversation.say('One');
    await Promise.all([first, second].map((tab) => tab.waitForText('One')));
    await second.send('Two');
    await first.waitForText('Two');
    await first.send('Three');
    await second.waitForText('Three');
    await Promise.all([first, second].map((tab) => tab.waitUntilSent()));
    const expected = ['Hello', 'One', 'Two', 'Three'];
    assert.deepEqual(await first.texts(), expected);
    assert.deepEqual(await second.texts(), expected);
    assert.deepEqual(await conversation.texts(), expected);

    await first.composer.fill('A draft');
    const third = await site.openTab(first.page.context(), first.page.url());
    await third.openPanel();
    await waitUntil('the new tab has the draft', async () => (await third.composer.inputValue()) === 'A draft');
    await third.page.close();
    await first.page.reload();
    await first.panel.waitFor(); // it was open in this tab
    assert.equal(await first.composer.inputValue(), 'A draft');

    await second.end();
    await first.text('The conversation has ended.').first().waitFor();
    assert.deepEqual(await conversation.read('state'), { state: 'CLOSED' });
    for (const tab of [first, second]) assert.deepEqual(tab.violations, []);
    await first.close();
  });

  test('the connection is cut: what both sides write meanwhile arrives once', async () => {
    const visitor = await site.openPage();
    const conversation = await site.startConversation(visitor);
    proxy.cut();
    await visitor.send('While it was cut');
    await visitor.text('Sending …').waitFor();
    await conversation.say('From the operator');
    await visitor.text('Reconnecting. Your message is kept.').waitFor();
    assert.ok(await visitor.composer.isEditable(), 'nothing is blocked');
    // The visitor's message gets through before the operator's was read, which comes first.
    proxy.loseResponses('eventPosition');
    proxy.restore();
    await visitor.waitUntilSent();
    proxy.loseResponses();
    await checkBothSides(visitor, conversation, ['Hello', 'From the operator', 'While it was cut']);
    await visitor.text('Reconnecting. Your message is kept.').waitFor({ state: 'detached' });
    await finish(visitor, conversation);
  });

  test('responses are lost: a message that the service has stored is not stored again', async () => {
    const visitor = await site.openPage();
    const conversation = await site.startConversation(visitor);
    proxy.loseResponses('messageSend');
    await visitor.send('Stored without an answer');
    await conversation.waitForText('Stored without an answer');
    await waitUntil('a response was lost', () => proxy.lostResponses > 0);
    await visitor.waitUntilSent(); // the event says so
    proxy.loseResponses();
    await checkBothSides(visitor, conversation, ['Hello', 'Stored without an answer']);
    await finish(visitor, conversation);
  });

  test('the browser goes offline and comes back: what was not sent says so, and is sent', async () => {
    const context = await site.createContext();
    await context.clock.install();
    const visitor = await site.openTab(context, await site.createPage());
    const conversation = await site.startConversation(visitor);
    await context.setOffline(true);
    await visitor.send('Written offline');
    await conversation.say('Are you there?');
    await visitor.text('Sending …').waitFor();
    const before = visitor.requests.length;
    await visitor.text('Reconnecting. Your message is kept.').waitFor();
    const attempts = visitor.requests.length - before;
    assert.ok(attempts < 30, `${attempts} requests: there is a pause between two attempts`);
    await waitUntil('the visitor sees that it was not sent', async () => {
      await visitor.page.clock.runFor(5000);
      return visitor.text('Not sent.').isVisible();
    });
    assert.ok(await visitor.button('Try again').isVisible());
    assert.deepEqual(await conversation.texts(), ['Hello', 'Are you there?']);
    await context.setOffline(false);
    await checkBothSides(visitor, conversation, ['Hello', 'Are you there?', 'Written offline']);
    await finish(visitor, conversation);
  });

  test('the service is killed and started again in the middle of a conversation', async () => {
    const visitor = await site.openPage();
    const conversation = await site.startConversation(visitor);
    await visitor.send('Before');
    await conversation.waitForText('Before');
    const ended = new Promise((resolve) => service.process.once('exit', resolve));
    await visitor.send('At the end'); // stored or not, it is there once in the end
    service.process.kill('SIGKILL');
    await ended;
    await visitor.send('While it was down');
    service = await startService();
    await conversation.say('We are back.');
    await visitor.waitForText('We are back.');
    await conversation.waitForText('While it was down');
    await visitor.waitUntilSent();
    assert.deepEqual((await conversation.texts()).toSorted(), (await visitor.texts()).toSorted());
    const expected = ['At the end', 'Before', 'Hello', 'We are back.', 'While it was down'];
    assert.deepEqual((await visitor.texts()).toSorted(), expected);
    await finish(visitor, conversation);
  });

  test('an upload that does not advance can be cancelled', async () => {
    const visitor = await site.openPage();
    const conversation = await site.startConversation(visitor);
    proxy.silence();
    const chooser = visitor.page.waitForEvent('filechooser');
    await visitor.button('Attach a file').click();
    await (await chooser).setFiles({ name: 'photo.png', mimeType: 'image/png', buffer: createLargePng(5_000_000) });
    await visitor.panel.getByRole('progressbar', { name: 'photo.png' }).waitFor();
    await visitor.button('Cancel: photo.png').click();
    assert.equal(await visitor.panel.locator('.upload').count(), 0);
    proxy.restore();
    await conversation.close();
    assert.deepEqual(visitor.violations, []);
    await visitor.close();
  });

  async function checkBothSides(visitor: WidgetPage, conversation: DeskConversation, expected: readonly string[]) {
    for (const text of expected) {
      await Promise.all([visitor.waitForText(text), conversation.waitForText(text)]);
    }
    await visitor.waitUntilSent();
    assert.deepEqual(await conversation.texts(), expected);
    assert.deepEqual(await visitor.texts(), expected);
  }

  async function finish(visitor: WidgetPage, conversation: DeskConversation): Promise<void> {
    await conversation.close();
    await visitor.text('The conversation has ended.').first().waitFor();
    assert.deepEqual(visitor.violations, []);
    await visitor.close();
  }
});
