import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertPageIsSound } from '../../support/browser/assert-page.ts';
import { describeInBrowser } from '../../support/browser/describe-in-browser.ts';
import { acceptNext, type DeskConversation } from '../../support/browser/desk.ts';
import { logInContext } from '../../support/browser/log-in.ts';
import { PagePool } from '../../support/browser/page-pool.ts';
import { createOtherAccount } from '../../support/fixtures/resources.ts';
import { openSite, PASSWORD, type Site, type SiteVisitor } from '../../support/fixtures/site.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

const ADA = { email: 'ada@example.com', password: PASSWORD };
/** Has the same number in the other account. */
const BO = { email: 'bo@other.example', password: PASSWORD };
const UNSENT = 'Only for Lea';

describeInBrowser('a desk whose browser becomes that of someone else', () => {
  let site: Site;
  let pages: PagePool;
  let page: Page;
  let visitor: SiteVisitor;
  let conversation: DeskConversation;
  before(async () => {
    site = await openSite();
    const ada = await site.createOperator({ ...{ email: ADA.email, pseudo: 'Ada' }, language_list: ['en'] });
    const other = await createOtherAccount(site.switchboard);
    const { status, body } = await other.post('/operator', {
      ...{ email: BO.email, password: BO.password, name: 'Bo', pseudo: 'Bo' },
    });
    assert.equal(status, 201, JSON.stringify(body));
    assert.equal(body.data.id, ada.id, 'the operators of two accounts have the same number');
    visitor = await site.createVisitor({ firstname: 'Lea' });
    await visitor.startConversation({ message: 'Hello' });
    conversation = await acceptNext(ada, String(site.websiteId));
    pages = new PagePool({ hosts: [new URL(site.url).host], expectedErrors: /^Socket closed/ });
    page = await pages.open();
    await logInContext(page.context(), site.url, ADA);
    await page.goto(`${site.url}/desk/conversations/${conversation.id}`);
    await field().waitFor();
  });
  after(async () => {
    await pages?.closeAll();
    await pages?.end();
    await site?.stop();
  });

  const field = () => page.getByRole('combobox', { name: 'Message to Lea' });

  test('stops, says so, and sends nothing of the one to the other', async () => {
    await page.context().setOffline(true);
    await field().fill(UNSENT);
    await field().press('Enter');
    await page.getByRole('log').getByText(UNSENT).waitFor();
    await field().fill('And this is not finished');
    await logInContext(page.context(), site.url, BO); // not by the page, which is offline
    await page.context().setOffline(false);
    await page.getByRole('heading', { name: 'Someone else has logged in' }).waitFor();
    assert.match(page.url(), /\/login\?to=.*&reason=other$/);
    await page.getByText('Bo of Other is logged in in this browser now.').waitFor();
    await assertPageIsSound(page, 'someone else');

    await page.getByRole('button', { name: 'Go on as Bo' }).click();
    await page.getByRole('button', { name: /account menu/ }).waitFor();
    assert.equal(await page.getByText(UNSENT).count(), 0);
    assert.deepEqual(await conversation.texts(), ['Hello']);
  });

  test('has everything that was written when the first one is back', async () => {
    await logInContext(page.context(), site.url, ADA);
    await page.goto(`${site.url}/desk/conversations/${conversation.id}`);
    await conversation.waitForText(UNSENT);
    await waitUntil('the draft is there', async () => (await field().inputValue()) === 'And this is not finished');
    assert.deepEqual(await conversation.texts(), ['Hello', UNSENT]);
  });
});
