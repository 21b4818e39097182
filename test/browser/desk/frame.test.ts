import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertFits, assertIsAccessible, assertPageIsSound, LANGUAGES } from '../../support/browser/assert-page.ts';
import { describeInBrowser } from '../../support/browser/describe-in-browser.ts';
import { goToAddress } from '../../support/browser/in-page.ts';
import { fillInLogin, logInContext } from '../../support/browser/log-in.ts';
import { findPageOverflow } from '../../support/browser/page-overflow.ts';
import { PagePool } from '../../support/browser/page-pool.ts';
import { createResource, newOperatorFields } from '../../support/fixtures/resources.ts';
import { ORIGIN, openSite, PASSWORD, type Site, type SiteOperator } from '../../support/fixtures/site.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

const WIDTHS = [320, 768, 1440];

/** An offer has four notes. */
const COUNT_NOTES = `
  window.notes = 0;
  const { createOscillator } = BaseAudioContext.prototype;
  BaseAudioContext.prototype.createOscillator = function () {
    window.notes += 1;
    return createOscillator.call(this);
  };
`;
const countNotes = (tab: Page) => tab.evaluate('window.notes') as Promise<number>;

describeInBrowser('the frame of the desk in a browser', () => {
  let site: Site;
  let pages: PagePool;
  let page: Page;
  let websiteId: number;
  let operator: SiteOperator;
  let email: string;
  before(async () => {
    site = await openSite();
    pages = new PagePool(
      { hosts: [new URL(site.url).host], expectedErrors: /^Socket closed/ },
      { viewport: { width: 1440, height: 900 } },
    );
  });
  after(async () => {
    await pages?.end();
    await site?.stop();
  });
  // Each test has its own website, with one operator, and the settings of a new account.
  beforeEach(async () => {
    websiteId = await createResource(site.rest, 'website', { url: ORIGIN, label: 'Shop' });
    const fields = newOperatorFields({ chat_enabled: true, chat_max_number: 3, website_list: [websiteId] });
    email = String(fields.email);
    operator = await site.createOperator({ ...fields, pseudo: 'Ada' }, { connected: false });
    await changeAccount('offerSeconds:300,autoAccept:false,operatorsMayTake:false');
    page = await pages.open();
  });
  afterEach(() => pages.closeAll());

  async function changeAccount(input: string): Promise<void> {
    const { data, errors } = await site.admin.run(`mutation{accountUpdate(input:{${input}}){userErrors{message}}}`);
    assert.deepEqual([data?.accountUpdate.userErrors, errors], [[], []]);
  }

  const createVisitor = (profile: object = {}) => site.createVisitor({ websiteId, ...profile });
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const rail = () => page.getByRole('navigation', { name: 'Conversations' });
  const offer = () => page.getByRole('article', { name: /^Offer from/ });
  const presence = (word: string) => page.locator('.bar .state', { hasText: word });

  async function openDesk(path = '/desk'): Promise<void> {
    await logInContext(page.context(), site.url, { email, password: PASSWORD });
    await page.goto(site.url + path);
    await rail().waitFor();
  }

  /** As the operator does it in the page. */
  async function becomeAvailable(): Promise<void> {
    await page.locator('.bar > .button').click();
    await page.getByRole('switch', { name: 'Chat' }).click();
    await presence('Available').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('switch', { name: 'Chat' }).waitFor({ state: 'hidden' });
  }

  /** Returns the identifier of the conversation. */
  async function startConversation(text: string): Promise<string> {
    const visitor = await createVisitor();
    const conversation = await visitor.startConversation({ message: text });
    return conversation.id;
  }

  test('something is in sight before the program has arrived, and gives way to the desk', async () => {
    await logInContext(page.context(), site.url, { email, password: PASSWORD });
    let sendScripts = (): void => undefined;
    const mayBeSent = new Promise<void>((resolve) => {
      sendScripts = resolve;
    });
    await page.route(/\/assets\/desk-[^/]+\.js$/, async (route) => {
      await mayBeSent;
      await route.continue();
    });
    await page.goto(`${site.url}/desk`, { waitUntil: 'commit' });
    const skeleton = page.locator('.desk-skeleton');
    await skeleton.locator('.skeleton').first().waitFor();
    assert.equal(await page.locator('#page').innerHTML(), '');
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      assert.deepEqual(await page.evaluate(findPageOverflow, 'body'), [], String(width));
    }
    sendScripts();
    await rail().waitFor();
    await skeleton.waitFor({ state: 'hidden' });
  });

  test('on a phone an arrow leads from the settings and the messages left to the list', async () => {
    await page.setViewportSize({ width: 320, height: 800 });
    await openDesk();
    for (const path of ['settings', 'messages-left']) {
      await page.goto(`${site.url}/desk/${path}`);
      await page.locator('.desk-content h2').first().waitFor();
      await button('Back to the list').click();
      await rail().waitFor();
    }
    await page.setViewportSize({ width: 768, height: 800 });
    await page.goto(`${site.url}/desk/settings`);
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    assert.equal(await button('Back to the list').isVisible(), false);
  });

  test('from the log-in to a conversation: available, an offer, A accepts it', async () => {
    await page.goto(`${site.url}/desk`);
    await fillInLogin(page, { email, password: PASSWORD });
    await page.waitForURL('**/desk');
    await rail().waitFor();
    await page.getByText('Accepted conversations appear here.').waitFor();
    await becomeAvailable();
    await page.getByRole('heading', { name: 'You are available' }).waitFor();

    const id = await startConversation('My parcel is late.');
    await offer().waitFor();
    await offer().getByText('My parcel is late.').waitFor();
    await waitUntil('the title counts the offer', async () => (await page.title()).startsWith('(1) '));
    await assertPageIsSound(page, 'an offer');
    await page.keyboard.press('a');
    await page.waitForURL(`**/desk/conversations/${id}`);
    await offer().waitFor({ state: 'hidden' });
    const row = rail().locator(`[data-row="${id}"]`);
    await row.waitFor();
    assert.equal(await row.getAttribute('aria-current'), 'page');

    await page.goBack();
    await page.getByRole('heading', { name: 'You are available' }).waitFor();
    await row.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/desk/conversations/${id}`);
  });

  test('D declines, and not while one writes', async () => {
    await openDesk();
    await becomeAvailable();
    await startConversation('Hello');
    await offer().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('da');
    assert.equal(await page.locator('[data-search]:visible').inputValue(), 'da');
    assert.equal(await offer().count(), 1);
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('[data-search]:visible').inputValue(), '');
    await page.keyboard.press('d');
    await offer().waitFor({ state: 'hidden' });
    assert.equal(await rail().locator('.conversation-row').count(), 0);
  });

  test('a missed offer says so', async () => {
    await changeAccount('offerSeconds:5');
    await openDesk();
    await becomeAvailable();
    await startConversation('Is anyone there?');
    await offer().waitFor();
    await page.locator('.toast', { hasText: 'has run out' }).waitFor();
    await offer().waitFor({ state: 'hidden' });
  });

  test('a waiting visitor is found, read first, and taken; the rows keep their height', async () => {
    await changeAccount('operatorsMayTake:true');
    await openDesk();
    await becomeAvailable();
    const visitor = await createVisitor({ firstname: 'Lea', lastname: 'Roux' });
    const { id } = await visitor.startConversation({ message: 'Where is my parcel?' });
    await offer().waitFor();
    await page.keyboard.press('d'); // no one else is there: it waits

    const waiting = page.getByRole('region', { name: /^Waiting/ });
    await waiting.getByText('Lea Roux Shop').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('zzz');
    await page.getByRole('region', { name: 'Waiting 0' }).getByText('No visitor with this name').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('[data-search]:visible').fill('lea');
    await page.getByRole('region', { name: 'Waiting 1' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/desk/conversations/${id}`);
    await page.getByText('This conversation waits for an operator.').waitFor();
    await page.getByRole('log').getByText('Where is my parcel?').waitFor();

    await waiting.getByRole('button', { name: 'Take Lea Roux' }).click();
    await page.getByRole('combobox', { name: 'Message to Lea Roux' }).waitFor();
    const { data } = await visitor.run('query($id:ID!){conversation(id:$id){state operator{pseudo}}}', { id });
    assert.deepEqual(data.conversation, { state: 'ACTIVE', operator: { pseudo: 'Ada' } });

    await page.goto(`${site.url}/desk/settings`);
    const row = rail().locator(`[data-row="${id}"]`);
    const height = (await row.boundingBox())?.height;
    await visitor.sendMessage(id, 'Are you there?');
    await row.locator('.badge').waitFor();
    assert.equal((await row.boundingBox())?.height, height);
  });

  test('of two tabs one makes noise, and the other when that one is closed', async () => {
    await page.addInitScript(COUNT_NOTES);
    await openDesk();
    await becomeAvailable();
    const other = await pages.openTab(page.context());
    await other.addInitScript(COUNT_NOTES);
    await other.goto(`${site.url}/desk`);
    await other.getByRole('heading', { name: 'You are available' }).click(); // pages are silent until a person does something
    const offersIn = (tab: Page) => tab.getByRole('article', { name: /^Offer from/ });
    for (const count of [1, 2]) {
      await startConversation(`Visitor ${count}`);
      for (const tab of [page, other])
        await waitUntil(`the tab has ${count} offers`, async () => (await offersIn(tab).count()) === count);
      await waitUntil('it was heard', async () => (await countNotes(page)) === count * 4);
    }
    assert.equal(await countNotes(other), 0);
    await page.close();
    await waitUntil('the other tab has taken over', async () => {
      const held = await other.evaluate(
        'navigator.locks.query().then(({ held, pending }) => held.length > 0 && !pending.length)',
      );
      return held === true;
    });
    await startConversation('Visitor 3');
    await waitUntil('it was heard there', async () => (await countNotes(other)) === 4);
  });

  test('where the account accepts by itself, a visitor is served at once, and nothing jumps', async () => {
    await page.addInitScript(COUNT_NOTES);
    await changeAccount('autoAccept:true');
    await openDesk();
    await becomeAvailable();
    await page.keyboard.press('/');
    await page.keyboard.type('Le');
    const visitor = await createVisitor({ firstname: 'Lea', lastname: 'Roux' });
    const { id } = await visitor.startConversation({ message: 'My parcel is late.' });
    const row = rail().locator(`[data-row="${id}"]`);
    await row.locator('.badge').waitFor();
    await waitUntil('it was heard', async () => (await countNotes(page)) === 4);
    assert.equal(await offer().count(), 0);
    assert.equal(new URL(page.url()).pathname, '/desk');
    assert.equal(await page.evaluate('document.activeElement.value'), 'Le');
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'Message to Lea Roux' }).waitFor();
    await page.getByRole('log').getByText('My parcel is late.').waitFor();
  });

  test('a pause, and its end', async () => {
    await openDesk();
    await becomeAvailable();
    await page.locator('.bar > .button').click();
    await button('Start a pause').click();
    await presence('Pause').waitFor();
    await page.getByRole('heading', { name: 'You are on a pause' }).waitFor();
    await page.locator('.bar > .button').click();
    await button('End the pause').click();
    await presence('Available').waitFor();
  });

  test('taken offline by a manager: who, what happens to the conversation and when, and the way back', async () => {
    const manager = await site.createOperator({ pseudo: 'Nora', roles: ['manager'] }, { connected: false });
    await openDesk();
    await becomeAvailable();
    const id = await startConversation('Hello');
    await operator.acceptOffer(id);
    await rail().locator(`[data-row="${id}"]`).waitFor();
    await manager.runMutation(
      'mutation($input:OperatorDisconnectInput!){operatorDisconnect(input:$input){userErrors{message}}}',
      { input: { id: operator.id } },
    );
    await presence('Offline').waitFor();
    const alert = page.getByRole('alert');
    await alert.getByText(/^Nora set you offline at \d\d:\d\d\. Your conversation goes back to the queue/).waitFor();
    // The time runs out on a slow machine.
    assert.match(await alert.innerText(), /queue( in [01]:\d\d)? unless you connect again\./);
    await assertPageIsSound(page, 'taken offline');
    await button('Connect again').click();
    await presence('Available').waitFor();
    await alert.waitFor({ state: 'detached' });
  });

  test('every address, in four languages, in the longest one at three widths', async () => {
    await openDesk();
    await becomeAvailable();
    const id = await startConversation('A question with a-very-long-word-that-has-no-place-to-break-at-all in it');
    await operator.acceptOffer(id);
    const addresses = ['/desk', `/desk/conversations/${id}`, `/desk/conversations/${id}?visitor`, '/desk/unknown'];
    for (const language of LANGUAGES) {
      await page.evaluate((value) => localStorage.setItem('switchboard:language', value), language);
      await page.reload();
      await page.locator('.rail').waitFor({ state: 'attached' });
      for (const address of addresses) {
        await page.evaluate(goToAddress, address);
        await page.locator('.rail').waitFor({ state: 'attached' });
        await assertFits(page, `${address}, ${language}`, '#page', language);
        if (language === 'en') await assertIsAccessible(page, address);
      }
    }
  });

  test('the menus and the list of shortcuts by keyboard', async () => {
    await openDesk();
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
    await assertPageIsSound(page, 'shortcuts');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor({ state: 'hidden' });
    await button(/account menu/).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Settings' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/desk/settings');
  });

  test('a part that did not arrive is said in its place, and comes with another try', async () => {
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.setBlockedURLs', { urls: ['*/assets/extras-*'] });
    await openDesk();
    await button(/account menu/).click();
    const missing = 'A part of the page could not be loaded.';
    await page.locator('.toast').getByText(missing).waitFor();
    await rail()
      .getByRole('link', { name: /Messages left/ })
      .click();
    const alert = page.getByRole('alert').getByText(missing);
    await alert.waitFor();
    await assertPageIsSound(page, 'a missing part');
    await session.send('Network.setBlockedURLs', { urls: [] });
    await page.locator('.desk-content').getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Messages left' }).waitFor();
    assert.equal(await alert.count(), 0);
    await button(/account menu/).click();
    await page.getByRole('menuitem', { name: 'Settings' }).waitFor();
  });
});
