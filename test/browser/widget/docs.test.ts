import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { describeInBrowser } from '../../support/browser/describe-in-browser.ts';
import { openWidgetSite, type WidgetSite } from '../../support/browser/widget-site.ts';
import { readWidgetExamples, readWidgetText } from '../../support/docs/widget-page.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

describeInBrowser('the page about the widget', () => {
  let site: WidgetSite;
  before(async () => {
    site = await openWidgetSite();
  });
  after(() => site?.stop());

  test('has an example that runs as it is', async () => {
    const [example = ''] = readWidgetExamples('Use it from your page', site.url);
    const body = example.replace(/^<script async.*\n/, ''); // the page has the tag
    const visitor = await site.openPage({ body });
    await visitor.page.locator('#help').click();
    await visitor.panel.waitFor();
    await visitor.send('Hello');
    const conversation = await site.accept(visitor);
    await visitor.button('Minimize').click();
    await conversation.say('How can I help?');
    await visitor.page.waitForFunction("document.title === '(1) My shop'");
    const { visitor: known } = await conversation.read('visitor{context{fields{name value}}}');
    assert.deepEqual(known.context.fields, [
      { name: 'plan', value: 'gold' },
      { name: 'basket', value: '3 items' },
    ]);
    assert.deepEqual(visitor.violations, []);
    await visitor.close();
  });

  test('has an example that says who the visitor is', async () => {
    const website = await site.createWebsite();
    const claims = { sub: 'customer-7', exp: Math.floor(Date.now() / 1000) + 3600, firstname: 'Ana' };
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const content = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
    const secret = await site.loadIdentitySecret(website);
    const token = `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
    const [example = ''] = readWidgetExamples('Say who the visitor is', site.url);
    const body = example.replace('/chat-identity', `data:text/plain,${token}`); // instead of the website's server
    assert.notEqual(body, example);
    const visitor = await site.openTab(await site.createContext(), site.addPage(website, { body }));
    const conversation = await site.startConversation(visitor);
    await waitUntil('the operator sees who it is', async () => {
      const { visitor: known } = await conversation.read('visitor{externalId firstname}');
      return known.externalId === 'customer-7' && known.firstname === 'Ana';
    });
    assert.deepEqual(visitor.violations, []);
    await visitor.close();
  });

  test('quotes what the console says if the service refuses the page', async () => {
    const website = await site.createWebsite({ settings: { allowedOrigins: ['https://shop.example.com'] } });
    const lines: string[] = [];
    const page = await (await site.createContext()).newPage();
    page.on('console', (message) => lines.push(message.text()));
    await page.goto(site.addPage(website));
    const origin = new URL(page.url()).origin;
    const expected = readWidgetText()
      .match(/`(Switchboard: website .*?)`/)?.[1]
      ?.replace('"1"', `"${website}"`)
      .replace('https://shop.example.com', origin);
    await waitUntil(`the console says ${expected}`, () => lines.includes(expected ?? ''));
    await page.context().close();
  });
});
