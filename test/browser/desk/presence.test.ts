import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertPageIsSound } from '../../support/browser/assert-page.ts';
import { describeInBrowser } from '../../support/browser/describe-in-browser.ts';
import { type DeskSite, openDeskSite } from '../../support/browser/desk-site.ts';
import type { SiteVisitor } from '../../support/fixtures/site.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

describeInBrowser('presence and figures in the desk', () => {
  let site: DeskSite;
  let operatorId: number;
  let page: Page;

  before(async () => {
    site = await openDeskSite();
    await site.change('accountUpdate', { offerSeconds: 300 });
  });
  after(() => site?.stop());
  afterEach(() => site.closeDesks());
  // Each test has its own operator, alone in the service.
  beforeEach(async () => {
    const login = await site.hire({ pseudo: 'Ada', chat_enabled: true });
    operatorId = login.id;
    page = await site.openDesk(login);
    await page.locator('.bar > .button').click();
    await page.getByRole('switch', { name: 'Chat' }).click();
    await presence('Available').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('switch', { name: 'Chat' }).waitFor({ state: 'hidden' });
  });

  const presence = (word: string) => page.locator('.bar .state', { hasText: word });
  const log = () => page.getByRole('log');
  const button = (name: string) => page.getByRole('button', { name, exact: true });

  async function acceptConversation(): Promise<{ visitor: SiteVisitor; id: string }> {
    const visitor = await site.createVisitor();
    const { id } = await visitor.startConversation({ message: 'Hello' });
    await page.locator(`[data-offer="${id}"]`).waitFor();
    await page.keyboard.press('a');
    await log().getByText('You joined').waitFor();
    return { visitor, id };
  }

  test('a channel that someone else turned off says so, with the way back', async () => {
    assert.equal(await page.locator('.capacity > li').count(), 1, 'only the channels that the operator has');
    await site.change('operatorAvailabilityUpdate', { id: operatorId, chat: false });
    const banner = page.locator('.banner', { hasText: /^Chat: Turned off by .+ at \d/ });
    await banner.waitFor();
    await page.locator('.bar > .button').click();
    await page.getByText(/^Turned off by .+ Turn it on to get conversations again\.$/).waitFor();
    await assertPageIsSound(page, 'a channel is off');
    await page.keyboard.press('Escape');
    await banner.getByRole('button', { name: 'Turn on' }).click();
    await presence('Available').waitFor();
    await banner.waitFor({ state: 'detached' });
  });

  test('the empty desk shows the figures of the day', async () => {
    const figure = (name: string) => page.locator('.day-figures > div', { hasText: name }).locator('dd');
    await figure('conversations today').getByText('0', { exact: true }).waitFor();
    assert.equal(await figure('first answer').innerText(), '–');
    const { visitor, id } = await acceptConversation();
    await page.getByRole('combobox', { name: /^Message to/ }).fill('Good morning');
    await page.keyboard.press('Enter');
    await page.goBack();
    await figure('conversations today').getByText('1', { exact: true }).waitFor();
    await visitor.run('mutation($id:ID!){conversationClose(input:{id:$id}){userErrors{message}}}', { id });
    const { data } = await visitor.run(
      `mutation($id:ID!){satisfactionAnswer(input:{conversationId:$id,welcome:5,resolution:5,delay:2}){
        userErrors{message}}}`,
      { id },
    );
    assert.deepEqual(data.satisfactionAnswer.userErrors, []);
    await page.reload();
    await figure('satisfaction').getByText('4.0').waitFor();
    assert.match(await figure('first answer').innerText(), /^\d+:\d\d$/);
    await assertPageIsSound(page, 'figures of the day');
  });

  test('operators do not read that they were away: the visitor does', async () => {
    const { visitor, id } = await acceptConversation();
    const readNotices = async () => {
      const { data } = await visitor.run('query($id:ID!){conversation(id:$id){messages{notice{code}}}}', { id });
      return data.conversation.messages.flatMap(
        ({ notice }: { notice: { code: string } | null }) => notice?.code ?? [],
      );
    };
    await site.change('operatorDisconnect', { id: operatorId });
    await button('Connect again').click();
    await waitUntil('the visitor knows', async () => (await readNotices()).length === 3);
    assert.deepEqual(await readNotices(), ['operator_joined', 'operator_away', 'operator_back']);
    await visitor.sendMessage(id, 'Are you there?');
    await log().getByText('Are you there?').waitFor();
    assert.equal(await log().locator('.notice').count(), 1);
    assert.equal(await page.getByText(/lost the connection|is back/).count(), 0);
  });
});
