import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertPageIsSound } from '../../support/browser/assert-page.ts';
import { describeInBrowser } from '../../support/browser/describe-in-browser.ts';
import { type DeskSite, openDeskSite } from '../../support/browser/desk-site.ts';
import type { Login } from '../../support/browser/log-in.ts';
import { graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { createResource } from '../../support/fixtures/resources.ts';
import type { SiteVisitor } from '../../support/fixtures/site.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

const XSS = '<img src=x onerror="document.title=\'attacked\'">';

const CONTEXT = `mutation($input:VisitorContextInput!){visitorContext(input:$input){userErrors{field message}}}`;

describeInBrowser('the visitor beside the conversation', () => {
  let site: DeskSite;
  let operator: Login & { readonly id: number };
  let visitor: SiteVisitor;
  let conversationId: string;
  let page: Page;
  before(async () => {
    site = await openDeskSite();
    operator = await site.hire({ pseudo: 'Ana Silva', chat_priority: 10 });
    await site.hire({ pseudo: 'Bo' });
    for (const name of ['delivery', 'carrier', 'réclamation', `late ${XSS}`]) {
      await site.change('tagCreate', { name, websiteIds: [site.websiteId] });
    }
    const skill = await createResource(site.rest, 'skill', { name: 'Delivery' });
    await site.rest.put(`/operator/${operator.id}`, { skill_list: [skill] });

    visitor = await site.createSignedVisitor({
      ...{ firstname: 'Lea', lastname: `Roux${XSS}`, email: 'lea@example.com', fields: { Order: '48210' } },
    });
    // Closed before anyone took it: of no operator.
    const { id: earlierId } = await visitor.startConversation({ message: `The boots ${XSS}` });
    await visitor.run('mutation($id:ID!){conversationClose(input:{id:$id}){userErrors{message}}}', { id: earlierId });
    await visit({
      ...{ page: 'https://shop.example/checkout', title: `Checkout ${XSS}`, referrer: 'https://search.example/?q=x' },
      ...{
        timezone: 'Europe/Paris',
        language: 'fr',
        fields: [
          { name: `Plan ${XSS}`, value: `gold ${XSS}` },
          { name: 'Cart', value: 'https://shop.example/cart/7' },
          { name: 'Story', value: 'A long story. '.repeat(20) },
          { name: 'Blank', value: ' ' },
        ],
      },
    });
    page = await site.openDesk(operator, '/desk');
    const own = graphqlClient(site.url, await logIn(site.url, operator));
    const run = async (mutation: string, input: object) => {
      const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`;
      const query = `mutation($input:${type}!){${mutation}(input:$input){userErrors{message}}}`;
      const { data, errors } = await own.run(query, { input });
      assert.deepEqual(errors, []);
      assert.deepEqual(data[mutation].userErrors, []);
    };
    await waitUntil('the desk has connected the operator', async () => {
      const { data } = await own.run('{viewer{live{connected}}}');
      return data.viewer.live.connected;
    });
    await run('operatorAvailabilityUpdate', { chat: true });
    ({ id: conversationId } = await visitor.startConversation({ skillId: String(skill), message: 'Hello' }));
    await waitUntil('the conversation is offered', async () => {
      const { data } = await own.run('query($id:ID!){conversation(id:$id){state}}', { id: conversationId });
      return data.conversation?.state === 'OFFERED';
    });
    await run('offerAccept', { conversationId });
    await page.goto(`${site.url}/desk/conversations/${conversationId}`);
    await page.getByRole('heading', { name: 'Lea Roux' }).last().waitFor();
  });
  after(() => site?.stop());

  const panel = () => page.locator('.visitor-panel');
  async function visit(input: object): Promise<void> {
    const { data, errors } = await visitor.run(CONTEXT, { input });
    assert.deepEqual(errors, []);
    assert.deepEqual(data.visitorContext.userErrors, []);
  }
  /** What the panel says beside a name. */
  const readFact = (name: string) =>
    panel()
      .locator('.facts > div')
      .filter({ has: page.locator('dt', { hasText: name }) })
      .locator('dd')
      .first();

  test('says who it is and where they are now, and follows them', async () => {
    await panel().getByText('lea@example.com').waitFor();
    await panel().locator('.identity').getByText('verified').waitFor();
    assert.match(await readFact('Place').innerText(), /^Paris, \d\d:\d\d local time$/);
    assert.equal(await readFact('Came from').innerText(), 'search.example');
    assert.equal(await readFact('Customer').innerText(), 'customer-7');
    assert.match(await readFact('Order').innerText(), /^48210\s+verified$/);
    assert.equal(await readFact('Plan').innerText(), `gold ${XSS}`);
    const link = readFact('Page').getByRole('link');
    assert.equal(await link.innerText(), '/checkout');
    assert.equal(await link.getAttribute('rel'), 'noreferrer');
    await visit({ page: 'https://shop.example/payment', title: 'Payment' });
    await panel().getByRole('link', { name: '/payment' }).waitFor();
    assert.equal(await page.locator('img[src="x"]').count(), 0);
  });

  test('fields of the website: addresses are links, long values are short at first, empty ones are left out', async () => {
    assert.equal(await readFact('Cart').getByRole('link').getAttribute('href'), 'https://shop.example/cart/7');
    const story = readFact('Story');
    const height = async () => (await story.boundingBox())?.height ?? 0;
    const before = await height();
    await story.getByRole('button', { name: 'Show more' }).click();
    await story.getByRole('button', { name: 'Show less' }).waitFor();
    assert.ok((await height()) > before * 2, 'it is shown as a whole');
    assert.equal(await panel().locator('dt', { hasText: 'Blank' }).count(), 0);
  });

  test('tags are added from a list with typing, and removed, by keyboard', async () => {
    const tags = panel().locator('.tags');
    await panel().getByRole('button', { name: 'Add a tag' }).focus();
    await page.keyboard.press('Enter');
    await panel().getByRole('combobox').waitFor();
    await page.keyboard.type('recla');
    await panel().getByRole('option', { name: 'réclamation' }).waitFor();
    await page.keyboard.press('Enter');
    await tags.getByText('réclamation').waitFor();
    await page.keyboard.type('late');
    await page.keyboard.press('Enter');
    await tags.getByText(`late ${XSS}`).waitFor();
    await page.keyboard.type('nothing like it');
    await panel().getByText('No tag with this name.').waitFor();
    await page.keyboard.press('Escape');
    const focused = () => page.evaluate('document.activeElement.ariaLabel');
    await waitUntil('the button has the focus', async () => (await focused()) === 'Add a tag');
    await panel().getByRole('button', { name: 'Remove réclamation' }).click();
    await tags.getByText('réclamation').waitFor({ state: 'detached' });
    const { data } = await site.admin.run('query($id:ID!){conversation(id:$id){tags{name}}}', { id: conversationId });
    assert.deepEqual(data.conversation.tags, [{ name: `late ${XSS}` }]);
  });

  test('the details are edited in place; signed ones are not, and nothing is lost when it fails', async () => {
    await panel().getByRole('button', { name: 'Edit visitor' }).click();
    const field = (label: string) => panel().getByLabel(label, { exact: true });
    assert.equal(await field('Email address').getAttribute('readonly'), '');
    await field('Phone').fill('+33 1 23 45 67 89');
    await field('City').fill(`Lyon ${XSS}`);
    // Another view, and back: what was typed is there, and the focus is not moved.
    await page.locator('.bar').getByRole('link', { name: 'Switchboard' }).click();
    await panel().waitFor({ state: 'detached' });
    await page.goBack();
    await field('Phone').waitFor();
    assert.equal(await field('Phone').inputValue(), '+33 1 23 45 67 89');
    assert.equal(await field('City').inputValue(), `Lyon ${XSS}`);
    assert.equal(await page.evaluate('document.activeElement.closest(".details-form") === null'), true);
    await page.context().setOffline(true);
    await panel().getByRole('button', { name: 'Save', exact: true }).click();
    await panel().getByText('The server cannot be reached.').waitFor();
    await page.context().setOffline(false);
    assert.equal(await field('City').inputValue(), `Lyon ${XSS}`);
    await panel().getByRole('button', { name: 'Save', exact: true }).click();
    await panel().getByText('+33 1 23 45 67 89').waitFor();
    assert.equal(await readFact('Address').innerText(), `Lyon ${XSS}`);
    const { data } = await site.admin.run('query($id:ID!){conversation(id:$id){visitor{phone city}}}', {
      id: conversationId,
    });
    assert.deepEqual(data.conversation.visitor, { phone: '+33 1 23 45 67 89', city: `Lyon ${XSS}` });
    const focused = () => page.evaluate('document.activeElement.ariaLabel');
    await waitUntil('the button has the focus', async () => (await focused()) === 'Edit visitor');
  });

  test('says in words why the conversation came to the operator', async () => {
    const why = panel().locator('section').filter({ hasText: 'Routed to you: why?' });
    await why
      .getByText(/^You were the only eligible operator at \d\d:\d\d:\d\d\. The conversation was started\.$/)
      .waitFor();
    await why.getByText('Priority 10', { exact: true }).waitFor();
    await why.getByTitle('0% of slots in use').waitFor();
  });

  test('earlier conversations are listed if the account shares them, and open', async () => {
    const earlier = panel()
      .locator('section')
      .filter({ has: page.getByRole('heading', { name: /^Earlier/ }) });
    await earlier.getByRole('link', { name: `The boots ${XSS}` }).waitFor();
    await site.change('accountUpdate', { shareVisitorHistory: false });
    await page.reload();
    await earlier.getByText('No earlier conversations of yours.').waitFor();
    await site.change('accountUpdate', { shareVisitorHistory: true });
    await page.reload();
    await earlier.getByRole('link', { name: `The boots ${XSS}` }).click();
    await page.waitForURL(/\/desk\/conversations\/\d+$/);
    await page.locator('.conversation').getByText(`The boots ${XSS}`).waitFor();
    await page.goBack();
    await earlier.waitFor();
  });

  test('a part that was closed stays closed', async () => {
    await panel().getByRole('heading', { name: 'Fields' }).click();
    await readFact('Order').waitFor({ state: 'hidden' });
    await page.reload();
    await panel().getByText('lea@example.com').waitFor();
    await panel().getByRole('heading', { name: 'Fields' }).waitFor();
    assert.equal(await readFact('Order').isVisible(), false);
    await panel().getByRole('heading', { name: 'Fields' }).click();
    await readFact('Order').waitFor();
  });

  test('on a phone the rows have the same distance, and the name has the room that is there', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(`${site.url}/desk/conversations/${conversationId}?visitor`);
    await readFact('Page').waitFor();
    const measure = async (of: string) => (await panel().locator(of).first().boundingBox()) ?? assert.fail(of);
    const language = await measure('.facts > div:nth-child(1)');
    const link = await measure('.facts > div:has(a)');
    assert.equal(link.height, language.height);
    const [who, actions] = [await measure('.identity-who'), await measure('.identity-actions')];
    const close = (await page.locator('.side-close').boundingBox()) ?? assert.fail('close');
    assert.ok(actions.x - (who.x + who.width) <= 16, 'no room between the name and the buttons');
    assert.ok(close.x - (actions.x + actions.width) <= 16 && close.x >= actions.x + actions.width);
  });

  test('is sound in both themes and at all widths', async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await assertPageIsSound(page, 'visitor panel', '.visitor-panel');
  });
});
