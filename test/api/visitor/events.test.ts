import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openSocket } from '../../support/clients/subscriptions.ts';
import { openSite, type Site, type SiteOperator, type SiteVisitor } from '../../support/fixtures/site.ts';
import { startSwitchboard } from '../../support/processes/switchboard.ts';
import { WAIT_TIMEOUT_MS, withTimeout } from '../../support/waiting/wait.ts';

let site: Site;
let operator: SiteOperator;
before(async () => {
  site = await openSite();
  operator = await site.createOperator({
    pseudo: 'Bob',
    chat_max_number: 50,
    video_enabled: true,
    chat_to_video: true,
  });
});
after(() => site.stop());

const EVENTS = `subscription($id:ID!,$after:ID){conversationEvents(id:$id,after:$after){
  position type at conversation{id state operator{pseudo} queuePosition escalatedTo{id channel state}} message{sequence author text operator{pseudo}}}}`;

interface Event {
  readonly position: string;
  readonly type: string;
  readonly conversation: {
    state: string;
    operator: { pseudo: string } | null;
    escalatedTo: { channel: string } | null;
  };
  readonly message: { sequence: number; text: string } | null;
}

const eventsIn = (results: readonly { data: { conversationEvents: Event } }[]) =>
  results.map(({ data }) => data.conversationEvents);
const readPosition = async (visitor: SiteVisitor) => (await visitor.run('{eventPosition}')).data.eventPosition;

async function eraseVisitor({ visitorId }: SiteVisitor): Promise<void> {
  const { data } = await site.admin.run('query($id:String){visitors(filter:{uniqueId:$id}){nodes{id}}}', {
    id: visitorId,
  });
  const [{ id }] = data.visitors.nodes;
  await site.admin.run('mutation($id:ID!){visitorErase(input:{id:$id}){userErrors{code}}}', { id });
}

test('rule 20: a visitor receives all events of their conversation, in order', async () => {
  const visitor = await site.createVisitor();
  const after = await readPosition(visitor);
  const { id } = await visitor.startConversation({ message: 'Hello' });
  const socket = visitor.openSocket();
  const subscription = await socket.subscribe(EVENTS, { id, after });
  await operator.acceptOffer(id);
  await operator.sendMessage(id, 'Good morning');
  await visitor.sendMessage(id, 'A question');
  await site.admin.run('mutation($id:ID!){conversationTag(input:{id:$id,tagIds:[]}){userErrors{code}}}', { id });
  await visitor.run('mutation($id:ID!){conversationClose(input:{id:$id}){userErrors{code}}}', { id });
  await visitor.run(
    'mutation($id:ID!){satisfactionAnswer(input:{conversationId:$id,welcome:5,resolution:5,delay:5}){userErrors{code}}}',
    { id },
  );
  await subscription.waitUntil((results) => eventsIn(results).some(({ type }) => type === 'satisfaction.answered'));
  const events = eventsIn(subscription.results);
  assert.deepEqual(
    events.map(({ type, message }) => (message ? `${message.sequence} ${message.text}` : type)),
    [
      ...['conversation.queued', '1 Hello', 'conversation.offered', 'conversation.started'],
      ...[
        '2 Bob joined the conversation.',
        '3 Good morning',
        '4 A question',
        'conversation.closed',
        'satisfaction.answered',
      ],
    ],
    'changes that are internal to operators are not sent',
  );
  assert.deepEqual(events.at(-1)?.conversation.operator, { pseudo: 'Bob' });
  socket.end();
});

test('rules 18 and 20: many reconnects cause no gaps and no duplicates', async () => {
  const visitor = await site.createVisitor();
  let after = await readPosition(visitor);
  const { id } = await visitor.startConversation();
  await operator.acceptOffer(id); // sequence 1
  const MESSAGE_COUNT = 120;
  const sending = (async () => {
    for (let number = 1; number <= MESSAGE_COUNT; number += 1) {
      await (number % 2 === 0 ? operator.sendMessage(id, String(number)) : visitor.sendMessage(id, String(number)));
    }
  })();
  const received: Event[] = [];
  while (received.filter(({ message }) => message).length <= MESSAGE_COUNT) {
    const socket = visitor.openSocket();
    const subscription = await socket.subscribe(EVENTS, { id, after });
    await subscription.waitUntil(
      (results) =>
        results.length >= 7 || eventsIn(results).some(({ message }) => message?.sequence === MESSAGE_COUNT + 1),
    );
    socket.end(); // while events are arriving
    received.push(...eventsIn(subscription.results));
    after = received.at(-1)?.position ?? after;
  }
  await sending;
  const messages = received.filter(({ type }) => type === 'message.created').map(({ message }) => message?.text);
  assert.deepEqual(
    messages.slice(1),
    Array.from({ length: MESSAGE_COUNT }, (_, index) => String(index + 1)),
  );
  assert.equal(new Set(received.map(({ position }) => position)).size, received.length);
});

test('the position of an event continues after exactly that event, also after a restart', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-positions-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const firstRun = await openSite({ folder });
  await firstRun.createOperator();
  const visitor = await firstRun.createVisitor();
  const after = await readPosition(visitor);
  const { id } = await visitor.startConversation({ message: 'one' });
  for (const text of ['two', 'three', 'four']) await visitor.sendMessage(id, text);
  const receiveAfter = async (url: string, after: string) => {
    const socket = openSocket(url, visitor.token, undefined, { path: '/visitor/graphql' });
    const subscription = await socket.subscribe(EVENTS, { id, after });
    await subscription.waitUntil((results) => eventsIn(results).some(({ message }) => message?.text === 'four'));
    socket.end();
    return eventsIn(subscription.results);
  };
  const events = await receiveAfter(firstRun.url, after);
  await firstRun.stop();
  const { url, stop } = await startSwitchboard({ folder });
  t.after(stop);
  const typesAndTexts = (list: readonly Event[]) => list.map(({ type, message }) => [type, message?.text]);
  for (const [index, { position }] of events.slice(0, -1).entries()) {
    assert.deepEqual(typesAndTexts(await receiveAfter(url, position)), typesAndTexts(events.slice(index + 1)));
  }
});

test('positions tell a visitor nothing about the account', async () => {
  const visitor = await site.createVisitor();
  const { data } = await visitor.run('{a:eventPosition b:eventPosition}');
  const before: string = data.a;
  for (let times = 0; times < 20; times += 1) await site.createVisitor({ firstname: 'Ana' });
  const later: string = await readPosition(visitor);
  for (const position of [before, data.b, later]) assert.match(position, /^[\w-]{48}$/, 'all have the same form');
  assert.notEqual(data.a, data.b, 'equal texts would show that nothing happened in the meantime');
  const bytes = (position: string) => Buffer.from(position, 'base64url');
  const common = bytes(before).filter((byte, index) => byte === bytes(later)[index]);
  assert.ok(common.length < 12, `${common.length} of 36 bytes are the same`);
});

test('without a position only new events are sent', async () => {
  const visitor = await site.createVisitor();
  const { id } = await visitor.startConversation({ message: 'before' });
  const socket = visitor.openSocket();
  const subscription = await socket.subscribe(EVENTS, { id });
  await visitor.sendMessage(id, 'after');
  await subscription.waitUntil((results) => results.length > 0);
  assert.equal(eventsIn(subscription.results)[0]?.message?.text, 'after');
  socket.end();
});

test('an event of a type that is not listed for visitors does not reach them', async () => {
  const visitor = await site.createVisitor();
  const after = await readPosition(visitor);
  const { id } = await visitor.startConversation({ message: 'Hello' });
  // As if a later version had added a type.
  const { storedData } = site.switchboard;
  await storedData.query(
    "update events set type = 'conversation.noted' where type = 'message.created' and subject_id = ?",
    id,
  );
  const socket = visitor.openSocket();
  const subscription = await socket.subscribe(EVENTS, { id, after });
  await visitor.sendMessage(id, 'A question');
  await subscription.waitUntil((results) => eventsIn(results).some(({ message }) => message?.text === 'A question'));
  assert.deepEqual(
    eventsIn(subscription.results).map(({ type }) => type),
    ['conversation.queued', 'conversation.offered', 'message.created'],
  );
  socket.end();
});

test('an escalation to video is an event of the chat', async () => {
  const visitor = await site.createVisitor();
  const { id } = await visitor.startConversation();
  await operator.acceptOffer(id);
  const socket = visitor.openSocket();
  const subscription = await socket.subscribe(EVENTS, { id });
  const escalated = await operator.run(
    'mutation($id:ID!){conversationEscalate(input:{id:$id}){conversation{id} userErrors{message}}}',
    { id },
  );
  assert.deepEqual(escalated.data.conversationEscalate.userErrors, []);
  await subscription.waitUntil((results) => results.length > 0);
  const [event] = eventsIn(subscription.results);
  assert.deepEqual(
    [event?.type, event?.conversation.escalatedTo],
    [
      'conversation.updated',
      { id: escalated.data.conversationEscalate.conversation.id, channel: 'VIDEO', state: 'ACTIVE' },
    ],
  );
  socket.end();
});

const TOO_OLD = 'The position is too old: read again and follow from the current position.';
const NOT_RECEIVED = 'after must be a position that this visitor received.';

test('a position that this visitor did not receive is rejected', { timeout: WAIT_TIMEOUT_MS }, async () => {
  const visitor = await site.createVisitor();
  const { id } = await visitor.startConversation();
  const own = await readPosition(visitor);
  const flipped = Buffer.from(own, 'base64url');
  flipped[flipped.length - 1] = (flipped.at(-1) ?? 0) ^ 1;
  for (const [what, after, message] of [
    ['a number, from before positions were encrypted', '12', TOO_OLD],
    ['a number in the future', '99999999', TOO_OLD],
    ["another visitor's", await readPosition(await site.createVisitor()), NOT_RECEIVED],
    ['a modified one', flipped.toString('base64url'), NOT_RECEIVED],
    ['a shortened one', own.slice(0, -1), NOT_RECEIVED],
    ['a lengthened one', `${own}A`, NOT_RECEIVED],
    ...['x', '-1', ''].map((text) => [`'${text}'`, text, NOT_RECEIVED] as const),
  ] as const) {
    const socket = visitor.openSocket();
    const subscription = await socket.subscribe(EVENTS, { id, after });
    const [error] = (await subscription.failed) as { message: string; extensions: { code: string } }[];
    assert.deepEqual([error?.extensions.code, error?.message], ['BAD_REQUEST', message], what);
    socket.end();
  }
});

test('a position that the log no longer has is too old', { timeout: WAIT_TIMEOUT_MS }, async () => {
  const visitor = await site.createVisitor();
  const after = await readPosition(visitor);
  const { id } = await visitor.startConversation({ message: 'Hello' });
  await site.switchboard.storedData.query(
    'delete from events where position < (select event_position from accounts where id = 1)',
  );
  const socket = visitor.openSocket();
  const subscription = await socket.subscribe(EVENTS, { id, after });
  const [error] = (await subscription.failed) as { message: string; extensions: { code: string } }[];
  assert.deepEqual([error?.extensions.code, error?.message], ['BAD_REQUEST', TOO_OLD]);
  socket.end();
});

/** Tokens are rechecked in 15 batches, so without a notice the last of these would close seconds after the first. */
const SOCKETS = 15;
const MAX_SPREAD_MS = 2500;

test('rule 17: all connections of a visitor are closed at once when the visitor is erased', async () => {
  const visitor = await site.createVisitor();
  const sockets = Array.from({ length: SOCKETS }, () => visitor.openSocket());
  for (const socket of sockets) await socket.run('{__typename}');
  const other = (await site.createVisitor()).openSocket();
  await other.run('{__typename}');
  await eraseVisitor(visitor);
  assert.equal((await visitor.run('{__typename}')).status, 401);
  const closings = sockets.map(async ({ closed }) => ({ code: (await closed).code, at: performance.now() }));
  const ends = await withTimeout('the connections are closed', Promise.all(closings));
  assert.deepEqual(new Set(ends.map(({ code }) => code)), new Set([4401]));
  const times = ends.map(({ at }) => at);
  const spread = Math.max(...times) - Math.min(...times);
  assert.ok(spread < MAX_SPREAD_MS, `${Math.round(spread)} ms between the first and the last`);
  assert.deepEqual(await other.run('{__typename}'), { data: { __typename: 'Query' } });
  other.end();
});

test('rule 17: a visitor who is erased before they connect again is rejected', async () => {
  const visitor = await site.createVisitor();
  await visitor.run('{__typename}');
  await eraseVisitor(visitor);
  assert.equal((await withTimeout('the connection is rejected', visitor.openSocket().closed)).code, 4403);
});
