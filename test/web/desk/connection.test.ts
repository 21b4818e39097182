import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import type { OpenDesk } from '../../../web/desk/connection/open-desk.ts';
import { listMessageItems } from '../../../web/desk/state/message-items.ts';
import type { DeskConversation } from '../../../web/desk/state/model.ts';
import { selectOffers } from '../../../web/desk/state/select-conversations.ts';
import { startTcpProxy, type TcpProxy } from '../../support/databases/tcp-proxy.ts';
import { createOperator } from '../../support/fixtures/resources.ts';
import { NO_LIMITS, openSiteOf, type Site, type SiteVisitor } from '../../support/fixtures/site.ts';
import { findStablePort } from '../../support/processes/ports.ts';
import { type SwitchboardProcess, startSwitchboardProcess } from '../../support/processes/switchboard.ts';
import { waitUntil } from '../../support/waiting/wait.ts';
import { type DeskBrowser, startDeskBrowser } from './desk-browser.ts';

const PASSWORD = 'a password for the tests';

describe('the connection of the desk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-desk-'));
  let service: SwitchboardProcess;
  let proxy: TcpProxy;
  let site: Site;
  let port: number;
  let browser: DeskBrowser;
  let desk: OpenDesk;
  let websiteId: number;

  const startService = () => startSwitchboardProcess({ folder, env: { ...NO_LIMITS, PORT: String(port) } });

  before(async () => {
    port = await findStablePort();
    service = await startService();
    proxy = await startTcpProxy({ host: '127.0.0.1', port });
    site = await openSiteOf(service);
  });
  after(async () => {
    await service?.stop();
    await proxy?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    const response = await site.rest.post('/website', { url: 'https://shop.example', label: 'Shop' });
    websiteId = response.body.data.id;
    const { email } = await createOperator(site.rest, {
      ...{ password: PASSWORD, chat_max_number: 20, website_list: [websiteId] },
    });
    browser = await startDeskBrowser(service.url, { email, password: PASSWORD }, `http://127.0.0.1:${proxy.port}`);
    desk = await browser.openDesk();
    await waitUntilLive();
    assert.ok((await desk.actions.setAvailability({ chat: true })).ok);
    await waitUntil('the desk is connected and available', () => {
      const { connected, chat } = desk.getState().viewer.live;
      return connected && chat.available;
    });
  });
  afterEach(() => {
    proxy.loseResponses();
    proxy.restore();
    browser.close();
  });

  const waitUntilLive = () => waitUntil('the desk is live', () => desk.getState().connection.kind === 'live');

  function get(id: string, from = desk): DeskConversation {
    const conversation = from.getState().conversations.get(id);
    assert.ok(conversation, `conversation ${id} is there`);
    return conversation;
  }

  /** Without notices. */
  function texts(id: string, from = desk): string[] {
    return listMessageItems(get(id, from)).flatMap((item) => {
      if (item.kind === 'pending') return [`${item.pending.text} …`];
      return item.kind === 'message' && item.message.author !== 'NOTICE' ? [item.message.text] : [];
    });
  }

  async function startConversation(): Promise<{ id: string; visitor: SiteVisitor }> {
    const visitor = await site.createVisitor({ websiteId });
    const { id } = await visitor.startConversation({ message: 'Hello' });
    await waitUntil('it is offered', () => selectOffers(desk.getState()).some((each) => each.id === id));
    await waitUntil('the first words are there', () => get(id).messages.length > 0);
    assert.ok((await desk.actions.acceptOffer(id)).ok);
    await waitUntil('it has started', () => get(id).state === 'ACTIVE');
    return { id, visitor };
  }

  async function checkBothSides(id: string, visitor: SiteVisitor, expected: readonly string[]): Promise<void> {
    await waitUntil(`the desk shows ${expected}`, () => String(texts(id)) === String(expected));
    const { data } = await visitor.run(
      'query($id:ID!){conversation(id:$id){messages(first:100){author text sequence}}}',
      { id },
    );
    const stored = data.conversation.messages as { author: string; text: string }[];
    assert.deepEqual(
      stored.filter(({ author }) => author !== 'NOTICE').map(({ text }) => text),
      expected,
    );
    const fresh = await browser.openDesk();
    await waitUntil('a fresh page shows the same', () => String(texts(id, fresh)) === String(expected));
    fresh.stop();
  }

  test('a conversation from the offer to the close, with markers, tags and what the visitor does', async () => {
    const { id, visitor } = await startConversation();
    desk.actions.sendMessage(id, 'Good morning');
    assert.deepEqual(texts(id).at(-1), 'Good morning …', 'it is shown at once');
    await checkBothSides(id, visitor, ['Hello', 'Good morning']);
    assert.equal(get(id).unreadCount, 1);
    desk.actions.markRead(id, get(id).messageCount);
    assert.equal(get(id).unreadCount, 0);
    const countUnread = async () => {
      const { data } = await site.admin.run('query($id:ID!){conversation(id:$id){unreadCount}}', { id });
      return data.conversation.unreadCount;
    };
    await waitUntil('the service knows what was read', async () => (await countUnread()) === 0);
    await visitor.run('mutation($input:TypingInput!){typing(input:$input){userErrors{message}}}', {
      input: { conversationId: id },
    });
    await waitUntil('the visitor types', () => get(id).visitorTypingUntil > 0);
    const { data } = await site.admin.run(
      'mutation($input:TagCreateInput!){tagCreate(input:$input){tag{id}userErrors{message}}}',
      { input: { name: `Tag ${id}`, websiteIds: [websiteId] } },
    );
    assert.ok((await desk.actions.setTags(id, [data.tagCreate.tag.id])).ok);
    await waitUntil('it has the tag', () => get(id).tags.length === 1);
    assert.ok((await desk.actions.close(id, 'Goodbye')).ok);
    await waitUntil('it is closed', () => get(id).state === 'CLOSED');
    await checkBothSides(id, visitor, ['Hello', 'Good morning', 'Goodbye']);
    assert.equal(get(id).closedBy, 'OPERATOR');
  });

  test('the connection is cut: what both sides write meanwhile is there once and in order', async () => {
    const { id, visitor } = await startConversation();
    proxy.cut();
    await waitUntil('the desk knows', () => desk.getState().connection.kind === 'lost');
    desk.actions.sendMessage(id, 'One');
    desk.actions.addNote(id, 'A note');
    desk.actions.sendMessage(id, 'Two');
    assert.deepEqual(texts(id), ['Hello', 'One …', 'A note …', 'Two …'], 'everything is readable');
    await visitor.sendMessage(id, 'From the visitor');
    await visitor.run('mutation($input:ConversationReadInput!){conversationRead(input:$input){userErrors{message}}}', {
      input: { id, upTo: 1 },
    });
    proxy.restore();
    desk.reconnect();
    await waitUntilLive();
    await checkBothSides(id, visitor, ['Hello', 'From the visitor', 'One', 'Two']);
    const items = listMessageItems(get(id)).map((item) => (item.kind === 'note' ? item.note.text : item.kind));
    assert.equal(items.filter((text) => text === 'A note').length, 1);
    assert.equal(items.at(-2), 'A note', 'in the order of writing');
    await waitUntil('a marker of the time without a connection is there', () => get(id).readByVisitorUpTo >= 1);
  });

  test('answers are lost: what the service has stored is not stored again', async () => {
    const { id, visitor } = await startConversation();
    proxy.loseResponses('messageSend');
    desk.actions.sendMessage(id, 'Stored without an answer');
    await waitUntil('an answer was lost', () => proxy.lostResponses > 0);
    await waitUntil('the event confirms it', () => get(id).pending.length === 0);
    proxy.loseResponses();
    desk.actions.sendMessage(id, 'And another');
    await checkBothSides(id, visitor, ['Hello', 'Stored without an answer', 'And another']);
    assert.equal([...browser.storage.keys()].filter((key) => key.includes('outbox')).length, 0);
  });

  test('the service is killed and started again', async () => {
    const { id, visitor } = await startConversation();
    desk.actions.sendMessage(id, 'At the end'); // stored or not, it is there once
    const ended = new Promise((resolve) => service.process.once('exit', resolve));
    service.process.kill('SIGKILL');
    await ended;
    await waitUntil('the desk knows', () => desk.getState().connection.kind === 'lost');
    desk.actions.sendMessage(id, 'While it was down');
    service = await startService();
    await waitUntilLive();
    await visitor.sendMessage(id, 'Still here');
    await waitUntil('the visitor is read', () => texts(id).includes('Still here'));
    await waitUntil('everything is sent', () => get(id).pending.length === 0);
    await checkBothSides(id, visitor, texts(id));
    assert.deepEqual(texts(id).sort(), ['At the end', 'Hello', 'Still here', 'While it was down']);
  });

  test('a page that is closed before it could send: the next one sends what was written', async () => {
    const { id, visitor } = await startConversation();
    proxy.cut();
    desk.actions.sendMessage(id, 'Written before the reload');
    desk.stop();
    proxy.restore();
    desk = await browser.openDesk();
    const second = await browser.openDesk(); // another tab has the same outbox
    await checkBothSides(id, visitor, ['Hello', 'Written before the reload']);
    await waitUntil('the other tab has it too', () => texts(id, second).length === 2);
    assert.equal([...browser.storage.keys()].filter((key) => key.includes('outbox')).length, 0);
  });

  test('what is refused says so, and can be sent again or discarded', async () => {
    const { id, visitor } = await startConversation();
    desk.actions.sendMessage(id, 'x'.repeat(100_000));
    await waitUntil('it was refused', () => get(id).pending[0]?.failure !== null);
    const [refused] = get(id).pending;
    assert.match(String(refused?.failure), /^text\./);
    desk.actions.sendMessage(id, 'Short');
    await waitUntil('the next one is sent', () => texts(id).includes('Short'));
    const failed = await desk.actions.close(id, 'y'.repeat(100_000));
    assert.equal(failed.ok, false, 'a closing line that is refused does not close');
    assert.equal(get(id).state, 'ACTIVE');
    for (const { clientId } of get(id).pending) desk.actions.discard(id, clientId);
    await checkBothSides(id, visitor, ['Hello', 'Short']);
  });

  test('a position that the service does not have leads to a new reading', async () => {
    const { id, visitor } = await startConversation();
    proxy.cut();
    await waitUntil('the desk knows', () => desk.getState().connection.kind === 'lost');
    await visitor.sendMessage(id, 'Meanwhile');
    await service.storedData.query('delete from events');
    proxy.restore();
    desk.reconnect();
    await checkBothSides(id, visitor, ['Hello', 'Meanwhile']);
    await waitUntilLive();
  });

  test('what the operator gives away is gone; what is taken away says why', async () => {
    const { id } = await startConversation();
    assert.ok((await desk.actions.transfer(id, { operatorId: String(desk.getState().viewer.id) }, '')).ok === false);
    const visitor = await site.createVisitor({ websiteId });
    const offer = await visitor.startConversation({ message: 'Hello' });
    await waitUntil('it is offered', () => selectOffers(desk.getState()).length === 1);
    assert.ok((await desk.actions.declineOffer(offer.id)).ok);
    await waitUntil('it is gone', () => !desk.getState().conversations.has(offer.id));
    assert.deepEqual(desk.getState().losses, []);
  });

  test('what waits is listed where the account lets operators take it, and a take that is refused says why', async () => {
    const allow = (operatorsMayTake: boolean) =>
      site.admin.run('mutation($input:AccountUpdateInput!){accountUpdate(input:$input){userErrors{message}}}', {
        input: { operatorsMayTake },
      });
    assert.deepEqual((await allow(true)).errors, []);
    assert.ok((await desk.actions.setAvailability({ chat: false })).ok);
    await waitUntil('the desk is not available', () => !desk.getState().viewer.live.chat.available);
    const visitor = await site.createVisitor({ websiteId });
    const { id } = await visitor.startConversation({ message: 'Is anyone there?' });
    await waitUntil('it waits', () => desk.getState().queue.conversations.some((each) => each.id === id));
    const refused = await desk.actions.take(id);
    assert.deepEqual(refused.ok || (refused.failure.kind === 'refused' && refused.failure.code), 'state');
    await visitor.run(
      'mutation($input:ConversationCloseInput!){conversationClose(input:$input){userErrors{message}}}',
      {
        input: { id },
      },
    );
    await waitUntil('it waits no more', () => desk.getState().queue.conversations.every((each) => each.id !== id));
    await allow(false);
  });

  test('messages that visitors leave, and settings of the account, are there without a new reading', async () => {
    const visitor = await site.createVisitor({ websiteId });
    const { data } = await visitor.run(
      'mutation{messageLeave(input:{name:"Lea",email:"lea@example.com",text:"Hello"}){userErrors{message}}}',
      {},
    );
    assert.deepEqual(data.messageLeave.userErrors, []);
    await waitUntil('it is counted', () => desk.getState().messagesLeftOpen === 1);
    const { offerSeconds } = desk.getState().account;
    const set = (seconds: number) =>
      site.admin.run('mutation($input:AccountUpdateInput!){accountUpdate(input:$input){userErrors{message}}}', {
        input: { offerSeconds: seconds },
      });
    await set(offerSeconds + 1);
    await waitUntil('the desk knows the setting', () => desk.getState().account.offerSeconds === offerSeconds + 1);
    await set(offerSeconds);
  });

  test('a session that was ended elsewhere leads to the log-in page, and keeps what was written', async () => {
    const { id } = await startConversation();
    proxy.cut();
    desk.actions.sendMessage(id, 'Not sent yet');
    await service.storedData.query(
      'update access_tokens set expires_at = 0 where operator_id = ?',
      desk.getState().viewer.id,
    );
    await waitUntil('the session is over', async () => !(await browser.isSessionValid()));
    proxy.restore();
    desk.reconnect();
    await waitUntil('the page goes to the log-in page', () => browser.isLoggedOut());
    assert.ok([...browser.storage.values()].some((text) => text.includes('Not sent yet')));
  });
});
