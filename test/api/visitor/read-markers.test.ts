import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openSite, type Site, type SiteOperator, type SiteVisitor } from '../../support/fixtures/site.ts';
import { startSwitchboard } from '../../support/processes/switchboard.ts';

let site: Site;
let operator: SiteOperator;
before(async () => {
  site = await openSite();
  operator = await site.createOperator({ pseudo: 'Bob', chat_max_number: 50 });
});
after(() => site.stop());

const MARKERS = 'readByVisitorUpTo readByOperatorUpTo unreadCount';
const READ = `mutation($id:ID!,$upTo:Int!){conversationRead(input:{id:$id,upTo:$upTo}){
  conversation{${MARKERS}} userErrors{field message code}}}`;

type Client = Pick<SiteVisitor, 'run'>;

async function markRead(client: Client, id: string, upTo: number) {
  const { data, errors } = await client.run(READ, { id, upTo });
  assert.deepEqual(errors, []);
  return data.conversationRead;
}

/** What the visitor and the operator have read, and how many messages are unread for the client. */
async function loadMarkers(client: Client, id: string): Promise<number[]> {
  const { data } = await client.run(`query($id:ID!){conversation(id:$id){${MARKERS}}}`, { id });
  const { readByVisitorUpTo, readByOperatorUpTo, unreadCount } = data.conversation;
  return [readByVisitorUpTo, readByOperatorUpTo, unreadCount];
}

/** Six messages: 1 and 5 of the visitor; 2 a notice that the operator joined; 3, 4 and 6 of the operator. */
async function startWithMessages(visitor: SiteVisitor): Promise<string> {
  const { id } = await visitor.startConversation({ message: 'one' });
  await operator.acceptOffer(id);
  for (const text of ['three', 'four']) await operator.sendMessage(id, text);
  await visitor.sendMessage(id, 'five');
  await operator.sendMessage(id, 'six');
  return id;
}

test("rule 26: each side's marker counts the unread messages of the other side, and both sides see it", async () => {
  const visitor = await site.createVisitor();
  const id = await startWithMessages(visitor);
  assert.deepEqual(await loadMarkers(visitor, id), [0, 0, 3]);
  assert.deepEqual(await loadMarkers(operator, id), [0, 0, 2]);
  assert.deepEqual((await markRead(visitor, id, 4)).conversation, {
    readByVisitorUpTo: 4,
    readByOperatorUpTo: 0,
    unreadCount: 1,
  });
  assert.deepEqual(await loadMarkers(operator, id), [4, 0, 2], "the operator's own messages stay unread");
  await markRead(operator, id, 5);
  assert.deepEqual(await loadMarkers(operator, id), [4, 5, 0]);
  assert.deepEqual(await loadMarkers(visitor, id), [4, 5, 1]);
});

test('rule 26: a marker never goes back, and not past the newest message', async () => {
  const visitor = await site.createVisitor();
  const id = await startWithMessages(visitor);
  await markRead(visitor, id, 5);
  for (const upTo of [0, 2, 5]) assert.equal((await markRead(visitor, id, upTo)).conversation.readByVisitorUpTo, 5);
  assert.equal((await markRead(visitor, id, 2_000_000_000)).conversation.readByVisitorUpTo, 6);
  await operator.sendMessage(id, 'seven');
  assert.deepEqual(await loadMarkers(visitor, id), [6, 0, 1], 'the later message is unread');
  const results = await Promise.all([7, 1, 3, 7, 2, 6].map((upTo) => markRead(visitor, id, upTo)));
  for (const { userErrors } of results) assert.deepEqual(userErrors, []);
  assert.deepEqual(await loadMarkers(visitor, id), [7, 0, 0]);
  const [error] = (await markRead(visitor, id, -1)).userErrors;
  assert.deepEqual([error.field, error.code], [['input', 'upTo'], 'INVALID']);
});

test('rule 26: a marker is no event, and notices are not unread messages', async () => {
  const visitor = await site.createVisitor();
  const id = await startWithMessages(visitor);
  const readPosition = async () => (await site.admin.run('{eventPosition}')).data.eventPosition;
  const before = await readPosition();
  await markRead(visitor, id, 6);
  await markRead(operator, id, 6);
  assert.equal(await readPosition(), before);
  const visitors = await site.admin.run('query($id:String){visitors(filter:{uniqueId:$id}){nodes{id}}}', {
    id: visitor.visitorId,
  });
  await site.admin.run('mutation($id:ID!){visitorErase(input:{id:$id}){userErrors{code}}}', {
    id: visitors.data.visitors.nodes[0].id,
  });
  const { data } = await site.admin.run(`query($id:ID!){conversation(id:$id){messageCount ${MARKERS}}}`, { id });
  assert.equal(data.conversation.messageCount, 7, 'the erasure added a notice');
  assert.equal(data.conversation.unreadCount, 0);
});

test('rule 26: only the operator who has accepted a conversation marks it as read, also after its end', async () => {
  const visitor = await site.createVisitor();
  const { id } = await visitor.startConversation({ message: 'one' });
  const offered = await markRead(operator, id, 1);
  assert.equal(offered.userErrors[0].code, 'STATE', 'the visitor must not learn of an offer');
  await operator.acceptOffer(id);
  const stranger = await site.createOperator({}, { connected: false });
  for (const client of [stranger, site.admin]) {
    const { errors } = await client.run(READ, { id, upTo: 1 });
    assert.equal(errors[0]?.extensions.code, 'FORBIDDEN');
  }
  await visitor.run('mutation($id:ID!){conversationClose(input:{id:$id}){userErrors{code}}}', { id });
  assert.equal((await markRead(operator, id, 1)).conversation.readByOperatorUpTo, 1);
  assert.deepEqual(await loadMarkers(visitor, id), [0, 1, 0]);
});

test('rule 26: unread counts of a page of conversations', async () => {
  const visitor = await site.createVisitor();
  const ids = [await startWithMessages(visitor), await startWithMessages(visitor), await startWithMessages(visitor)];
  await markRead(visitor, ids[1] as string, 6);
  await markRead(visitor, ids[2] as string, 3);
  const { data } = await visitor.run(`{conversations(first:100){nodes{id ${MARKERS}}}}`);
  const counts = new Map(
    data.conversations.nodes.map((node: { id: string; unreadCount: number }) => [node.id, node.unreadCount]),
  );
  assert.deepEqual(
    ids.map((id) => counts.get(id)),
    [3, 0, 2],
  );
});

test('rule 26: markers and unread counts survive a restart', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-markers-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const first = await openSite({ folder });
  const visitor = await first.createVisitor();
  const firstOperator = await first.createOperator();
  const { id } = await visitor.startConversation({ message: 'one' });
  await firstOperator.acceptOffer(id);
  for (const text of ['three', 'four']) await firstOperator.sendMessage(id, text);
  await markRead(visitor, id, 3);
  await first.switchboard.stop();
  const second = await startSwitchboard({ folder });
  t.after(() => second.stop());
  const response = await fetch(`${second.url}/visitor/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${visitor.token}` },
    body: JSON.stringify({ query: `{conversation(id:${id}){${MARKERS}}}` }),
  });
  const { data } = (await response.json()) as { data: unknown };
  assert.deepEqual(data, { conversation: { readByVisitorUpTo: 3, readByOperatorUpTo: 0, unreadCount: 1 } });
});
