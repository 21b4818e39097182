import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { de } from '../../../src/core/directory/widget-texts/de.ts';
import { en } from '../../../src/core/directory/widget-texts/en.ts';
import { es } from '../../../src/core/directory/widget-texts/es.ts';
import { fr } from '../../../src/core/directory/widget-texts/fr.ts';
import { describeInBrowser } from '../../support/browser/describe-in-browser.ts';
import { findOverflow } from '../../support/browser/in-page.ts';
import { findLongestScriptTask } from '../../support/browser/processor-time.ts';
import type { WidgetPage } from '../../support/browser/widget-page.ts';
import { openWidgetSite, type WidgetSite } from '../../support/browser/widget-site.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

const LANGUAGES = {
  de: { start: de.startChat, options: de.options },
  en: { start: en.startChat, options: en.options },
  es: { start: es.startChat, options: es.options },
  fr: { start: fr.startChat, options: fr.options },
};
const MINUTE_MS = 60_000;
/** When the page asks for the settings, by the clock of the page. */
const RECORD_REQUESTS = `<script>
  window.asked = [];
  const { open } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.open = function (method, url) {
    if (url.includes('/visitor/widget?')) asked.push(performance.now());
    open.call(this, method, url);
  };
</script>`;
/** A task of the browser's main thread may take this long before it is noticed. */
const LONG_TASK_MS = 50;

describeInBrowser('the widget and the page around it', () => {
  let site: WidgetSite;
  let website: number;
  before(async () => {
    site = await openWidgetSite();
    website = await site.createWebsite();
  });
  after(() => site?.stop());

  const open = async (page: object = {}) => site.openTab(await site.createContext(), site.addPage(website, page));
  const callApi = (visitor: WidgetPage, code: string) => visitor.page.evaluate(`Switchboard.${code}`);

  test('before the first click: two requests, nothing stored, no socket, no long task', async () => {
    const context = await site.createContext();
    const address = site.addPage(website);
    const longest = await findLongestScriptTask(site.browser, site.url, async () => {
      const visitor = await site.openTab(context, address);
      await visitor.launcher.waitFor();
      assert.deepEqual(visitor.requests, [`${site.url}/widget.js`, `${site.url}/visitor/widget?website=${website}`]);
      const stored = `Promise.all([localStorage.length, sessionStorage.length, document.cookie, indexedDB.databases(),
        caches.keys(), navigator.serviceWorker.getRegistrations()]).then((all) => JSON.stringify(all))`;
      assert.equal(await visitor.page.evaluate(stored), '[0,0,"",[],[],[]]');
      assert.deepEqual(await context.cookies(), []);
      assert.deepEqual(visitor.sockets, []);
      assert.deepEqual(visitor.violations, []);
    });
    assert.ok(longest < LONG_TASK_MS, `the longest task took ${longest} ms`);
    await context.close();
  });

  test('asks once a minute while the page is visible, with a conditional request', async () => {
    const context = await site.createContext();
    await context.clock.install();
    const visitor = await site.openTab(context, site.addPage(website, { head: RECORD_REQUESTS }));
    const { clock } = visitor.page;
    const readTimes = () => visitor.page.evaluate('asked') as Promise<number[]>;
    const conditional: string[] = [];
    visitor.page.on('request', async (request) => {
      const headers = await request.allHeaders().catch((): Record<string, string> => ({}));
      if (headers['if-none-match']) conditional.push(request.url());
    });
    await visitor.launcher.waitFor();
    await clock.runFor(MINUTE_MS / 2);
    await visitor.page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    await clock.runFor(4 * MINUTE_MS);
    assert.ok((await readTimes()).length >= 5);

    await visitor.page.evaluate('Object.defineProperty(document, "hidden", { value: true, configurable: true })');
    const { length } = await readTimes();
    await clock.runFor(5 * MINUTE_MS);
    assert.equal((await readTimes()).length, length, 'a hidden page does not ask');
    await visitor.page.evaluate('delete document.hidden; document.dispatchEvent(new Event("visibilitychange"))');
    assert.equal((await readTimes()).length, length + 1, 'a page asks as soon as it is visible');

    // The cache of the browser keeps an answer for some seconds of its own clock; then it asks whether it is current.
    await waitUntil('a request is conditional', async () => {
      await clock.runFor(MINUTE_MS);
      return conditional.length > 0;
    });
    const times = await readTimes();
    const pauses = times.slice(1).map((time, index) => time - (times[index] as number));
    assert.ok(Math.min(...pauses) > MINUTE_MS - 2000, `pauses of ${pauses}`);
    await context.close();
  });

  test('the page opens and closes the panel, names the visitor, and hears what happens', async () => {
    const visitor = await open();
    const secret = await site.loadVisitorSecret(website);
    const signature = createHmac('sha256', secret).update('customer-7').digest('hex');
    await visitor.page.evaluate(`
      window.heard = [];
      for (const name of ['open', 'close', 'start', 'message', 'unread', 'end']) {
        Switchboard.on(name, (detail) => heard.push([name, detail]));
      }
      window.removeListener = Switchboard.on('open', () => heard.push(['removed']));
      removeListener();
      Switchboard.on('open', () => { throw new Error('a listener of the page'); });
    `);
    await callApi(visitor, `identify({ externalId: 'customer-7', signature: '${signature}', firstname: 'Ida' })`);
    await callApi(visitor, 'setFields({ basket: "3 items" })');
    await callApi(visitor, 'open()');
    await visitor.panel.waitFor();
    await callApi(visitor, 'close()');
    await visitor.panel.waitFor({ state: 'hidden' });
    const conversation = await site.startConversation(visitor);
    assert.deepEqual(await conversation.read('visitor{externalId firstname context{fields{name value}}}'), {
      visitor: {
        ...{ externalId: 'customer-7', firstname: 'Ida' },
        context: { fields: [{ name: 'basket', value: '3 items' }] },
      },
    });
    await callApi(visitor, 'setFields({ basket: "4 items" })');
    await waitUntil('the operator sees the new field', async () => {
      const { visitor: person } = await conversation.read('visitor{context{fields{value}}}');
      return person.context.fields[0]?.value === '4 items';
    });

    await callApi(visitor, 'close()');
    await conversation.say('Hello Ida');
    await visitor.page.getByRole('button', { name: 'Open the chat, 1 unread' }).click();
    await visitor.waitForText('Hello Ida');
    await waitUntil('nothing is unread', async () => (await visitor.launcher.locator('.badge').count()) === 0);
    await conversation.close();
    await visitor.text('The conversation has ended.').first().waitFor();
    const { id } = conversation;
    assert.deepEqual(await visitor.page.evaluate('heard.map(([name, detail]) => detail ? [name, detail] : [name])'), [
      ...[['open'], ['close'], ['open'], ['start', { conversationId: id }], ['close']],
      ...[
        ['unread', 1],
        ['message', { text: 'Hello Ida' }],
      ],
      ...[['open'], ['unread'], ['end', { conversationId: id }]],
    ]);

    // After a log-out, the next person at this device does not see the conversation.
    await callApi(visitor, 'identify(null)');
    await waitUntil('the conversation is gone', async () => (await visitor.texts()).length === 0);
    assert.ok(!String(await visitor.page.evaluate('JSON.stringify(localStorage)')).includes('token'));
    await visitor.close();
  });

  test('destroy() removes everything, and the next page shows the widget again', async () => {
    const context = await site.createContext();
    await context.clock.install();
    const visitor = await site.openTab(context, site.addPage(website));
    const conversation = await site.startConversation(visitor);
    await callApi(visitor, 'destroy()');
    assert.equal(await visitor.page.locator('switchboard-widget').count(), 0);
    assert.equal(await visitor.page.evaluate('typeof Switchboard'), 'undefined');
    const asked = visitor.requests.length;
    await conversation.say('Anyone there?');
    await visitor.page.evaluate('document.body.innerHTML = "<main>Another</main>"; history.pushState({}, "", "?a")');
    await visitor.page.clock.runFor(5 * MINUTE_MS);
    assert.equal(visitor.requests.length, asked);
    await visitor.page.reload();
    await visitor.panel.waitFor();
    await visitor.waitForText('Anyone there?');
    assert.deepEqual(visitor.violations, []);
    await conversation.close();
    await visitor.close();
  });

  for (const [language, words] of Object.entries(LANGUAGES)) {
    test(`the texts fit in ${language} at 320 pixels`, async () => {
      const preChat = { name: 'OPTIONAL', email: 'REQUIRED', question: 'OFF', consent: 'REQUIRED' };
      const address = await site.createPage({ widget: { preChat }, attributes: { 'data-language': language } });
      const visitor = await site.openTab(await site.createContext({ viewport: { width: 320, height: 640 } }), address);
      const check = async (state: string) =>
        assert.deepEqual(await visitor.page.evaluate(findOverflow), [], `${state} in ${language}`);
      await visitor.launcher.waitFor();
      await check('the button');
      await visitor.openPanel();
      await visitor.button(words.start).click();
      await check('the form with errors');
      await visitor.panel.locator('#email').fill('someone@example.com');
      await visitor.panel.getByRole('checkbox').check();
      await visitor.button(words.start).click();
      const conversation = await site.accept(visitor);
      await conversation.say(`${'Donaudampfschifffahrt'.repeat(5)} https://shop.example/${'a'.repeat(200)}`);
      await visitor.panel.locator('[data-from=operator]').waitFor();
      await check('the conversation');
      await visitor.button(words.options).click();
      await check('the menu');
      await visitor.panel.getByRole('menuitem').last().click();
      await check('the question before the end');
      await visitor.panel.getByRole('alertdialog').getByRole('button').last().click();
      await visitor.panel.locator('.rating').first().waitFor();
      await visitor.panel.locator('button[type=submit]').click();
      await check('the survey with errors');
      assert.deepEqual(visitor.violations, []);
      await visitor.close();
    });
  }
});
