import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeInBrowser } from '../../support/browser/describe-in-browser.ts';
import { readStyles, showOtherPage } from '../../support/browser/in-page.ts';
import type { WidgetPage } from '../../support/browser/widget-page.ts';
import { openWidgetSite, type WidgetSite } from '../../support/browser/widget-site.ts';
import { readWidgetExamples } from '../../support/docs/widget-page.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

/** What websites and their libraries add to every page, as the widget must be able to bear. */
const PATCHES = `<script>
  window.fetch = () => Promise.reject(new Error('fetch of the page'));
  XMLHttpRequest.prototype.traced = true;
  const send = XMLHttpRequest.prototype.send;
  XMLHttpRequest.prototype.send = function (...values) { window.sent = (window.sent || 0) + 1; return send.apply(this, values); };
  JSON.page = {};
  Array.prototype.first = function () { return this[0]; };
  Array.prototype.remove = function () { throw new Error('remove of the page'); };
  Object.prototype.inherited = 'of the page';
  String.prototype.toJSON = function () { return this.valueOf(); };
  Array.prototype.toJSON = function () { return this.slice(); };
  Element.prototype.toggle = function () {};
  window.Promise.any = undefined;
  window.crypto.randomUUID = undefined;
  window.addEventListener('error', () => {});
  window.name = 'Switchboard';
  window.message = window.chat = window.panel = window.settings = 'of the page';
</script>`;

/** Rules that change everything that they reach. */
const HOSTILE_STYLES = `<style>
  * { all: unset !important; }
  * { display: inline !important; color: lime !important; font-size: 50px !important; }
  :root { font-size: 5px !important; --accent: lime; --surface: lime; --brand: lime; --text: lime; --space-4: 90px; }
  html { direction: rtl; }
  switchboard-widget { display: none !important; opacity: 0 !important; position: static !important; }
  button, textarea, div { visibility: hidden !important; pointer-events: none !important; }
</style>`;

const LIGHT_SURFACE = /"backgroundColor":"rgb\(253, 252, 251\)"/;

describeInBrowser('the widget on pages of websites', () => {
  let site: WidgetSite;
  let website: number;
  before(async () => {
    site = await openWidgetSite();
    website = await site.createWebsite();
  });
  after(() => site?.stop());

  // Without motion: no colour is on its way to another one when it is read.
  const open = async (page: object = {}) =>
    site.openTab(await site.createContext({ reducedMotion: 'reduce' }), site.addPage(website, page));

  /** A conversation with a message of each side. */
  async function talk(visitor: WidgetPage): Promise<void> {
    const conversation = await site.startConversation(visitor);
    await conversation.say('How can I help?');
    await visitor.waitForText('How can I help?');
    await visitor.send('I am only looking.');
    await conversation.waitForText('I am only looking.');
    await visitor.waitUntilSent();
    assert.deepEqual(await visitor.texts(), ['Hello', 'How can I help?', 'I am only looking.']);
    await conversation.close();
    await visitor.text('The conversation has ended.').first().waitFor();
  }

  test('keeps its geometry, colours and fonts on a page with hostile styles', async () => {
    const plain = await open();
    const hostile = await open({ head: HOSTILE_STYLES });
    const tabs = [plain, hostile];
    /** The styles in both, once both show the same elements: what arrives may arrive in one of them later. */
    const readBoth = async (selector: string): Promise<[string[], string[]]> => {
      let read: [string[], string[]] = [[], []];
      await waitUntil('both show the same elements', async () => {
        const [one = [], other = []] = await Promise.all(tabs.map(({ page }) => page.evaluate(readStyles, selector)));
        read = [one, other];
        return listElements(one) === listElements(other);
      });
      return read;
    };
    const [launcher, hostileLauncher] = await readBoth('.launcher, .launcher *');
    await Promise.all(tabs.map((visitor) => visitor.openPanel()));
    const [start, hostileStart] = await readBoth('.panel, .panel *');
    await Promise.all(tabs.map(sendAndEnd));
    const [end, hostileEnd] = await readBoth('.panel, .panel *');
    const expected = [...launcher, ...start, ...end];
    const found = [...hostileLauncher, ...hostileStart, ...hostileEnd];
    assert.ok(expected.length > 50);
    const changed = expected.flatMap((styles, index) => (styles === found[index] ? [] : [[styles, found[index]]]));
    assert.deepEqual(changed.slice(0, 3), []);
    await Promise.all([plain.close(), hostile.close()]);
  });

  test('needs nothing more than its service from a strict content security policy', async () => {
    const [needed = ''] = readWidgetExamples('Content security policy', site.url);
    const strict = ["default-src 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"];
    const policy = [...strict, needed.replaceAll(/\s+/g, ' ').trim()].join('; ');
    assert.match(policy, /script-src http\S+; connect-src http\S+ ws\S+; img-src http\S+$/);
    const visitor = await open({ policy });
    await talk(visitor);
    assert.deepEqual(visitor.violations, []);
    const [panel] = await visitor.page.evaluate(readStyles, '.panel');
    assert.match(panel ?? '', LIGHT_SURFACE);
    await visitor.close();
  });

  test('has the theme that the page says, and not that of the system', async () => {
    const visitor = await open({ attributes: { 'data-theme': 'dark' } });
    await visitor.openPanel();
    for (const colorScheme of ['light', 'dark'] as const) {
      await visitor.page.emulateMedia({ colorScheme });
      const [panel] = await visitor.page.evaluate(readStyles, '.panel');
      assert.match(panel ?? '', /"backgroundColor":"rgb\(/);
      assert.doesNotMatch(panel ?? '', LIGHT_SURFACE, colorScheme);
    }
    await visitor.close();
  });

  test('works on a page that changes the built-in objects', async () => {
    const visitor = await open({ head: PATCHES });
    await talk(visitor);
    assert.ok(((await visitor.page.evaluate('window.sent')) as number) > 3, 'the page saw the requests');
    assert.deepEqual(visitor.violations, []);
    await visitor.close();
  });

  test('two script tags, and a double click, show one widget', async () => {
    const visitor = await open({ tags: 2 });
    await visitor.launcher.dblclick();
    await visitor.panel.waitFor();
    assert.equal(await visitor.page.locator('switchboard-widget').count(), 1);
    assert.equal(await visitor.panel.count(), 1);
    const asked = visitor.requests.filter((address) => !address.endsWith('/widget.js'));
    assert.deepEqual(asked, [...new Set(asked)]);
    assert.equal(asked.filter((address) => address.includes('/panel-')).length, 1);
    await visitor.close();
  });

  test('stays when the page replaces its body, and tells the operator about the new address', async () => {
    const visitor = await open();
    const conversation = await site.startConversation(visitor);
    const address = `${visitor.page.url()}basket?step=2`;
    await visitor.page.evaluate(showOtherPage, { address, title: 'Your basket' });
    await visitor.page.getByRole('heading', { name: 'Your basket' }).waitFor();
    await conversation.waitForPage(address, 'Your basket');
    await visitor.page.evaluate('document.body.innerHTML = "<main>Another</main>"');
    await conversation.say('Still there?');
    await visitor.waitForText('Still there?');
    assert.deepEqual(await visitor.texts(), ['Hello', 'Still there?']);
    assert.equal(await visitor.page.locator('switchboard-widget').count(), 1);
    assert.deepEqual(visitor.violations, []);
    await conversation.close();
    await visitor.close();
  });
});

function listElements(styles: readonly string[]): string {
  return styles.map((json) => (JSON.parse(json) as { element: string }).element).join();
}

async function sendAndEnd(visitor: WidgetPage): Promise<void> {
  await visitor.send('Hello');
  await visitor.waitUntilSent();
  await visitor.end();
  await visitor.button('Start a new conversation').waitFor();
}
