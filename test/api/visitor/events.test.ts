import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openSite, type Site, type SiteOperator, type SiteVisitor } from '../../support/fixtures/site.ts';
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
      ...['conversation.queued', '1 Hello', 'conversation.offered', 'conversation.started', '2 Good morning'],
      ...['3 A question', 'conversation.closed', 'satisfaction.answered'],
    ],
    'changes that are internal to operators are not sent',
  );
  const positions = events.map(({ position }) => Number(position));
  assert.deepEqual(
    positions,
    positions.toSorted((a, b) => a - b),
  );
  assert.deepEqual(events.at(-1)?.conversation.operator, { pseudo: 'Bob' });
  socket.end();
});

test('rules 18 and 20: many reconnects cause no gaps and no duplicates', async () => {
  const visitor = await site.createVisitor();
  let after = await readPosition(visitor);
  const { id } = await visitor.startConversation();
  await operator.acceptOffer(id);
  const MESSAGE_COUNT = 120;
  const sending = (async () => {
    for (let number = 1; number <= MESSAGE_COUNT; number += 1) {
      await (number % 2 === 0 ? operator.sendMessage(id, String(number)) : visitor.sendMessage(id, String(number)));
    }
  })();
  const received: Event[] = [];
  while (received.filter(({ message }) => message).length < MESSAGE_COUNT) {
    const socket = visitor.openSocket();
    const subscription = await socket.subscribe(EVENTS, { id, after });
    await subscription.waitUntil(
      (results) => results.length >= 7 || eventsIn(results).some(({ message }) => message?.sequence === MESSAGE_COUNT),
    );
    socket.end(); // while events are arriving
    received.push(...eventsIn(subscription.results));
    after = received.at(-1)?.position ?? after;
  }
  await sending;
  const messages = received.filter(({ type }) => type === 'message.created').map(({ message }) => message?.text);
  assert.deepEqual(
    messages,
    Array.from({ length: MESSAGE_COUNT }, (_, index) => String(index + 1)),
  );
  assert.equal(new Set(received.map(({ position }) => position)).size, received.length);
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

test('a position that is not valid, or in the future, is rejected', { timeout: WAIT_TIMEOUT_MS }, async () => {
  const visitor = await site.createVisitor();
  const { id } = await visitor.startConversation();
  for (const after of ['x', '-1', '99999999']) {
    const socket = visitor.openSocket();
    const subscription = await socket.subscribe(EVENTS, { id, after });
    assert.match(JSON.stringify(await subscription.failed), /BAD_REQUEST/, after);
    socket.end();
  }
});

test('rule 17: a connection is closed soon after its token is revoked', async () => {
  const visitor = await site.createVisitor();
  const socket = visitor.openSocket();
  await socket.run('{__typename}');
  const { data } = await site.admin.run('query($id:String){visitors(filter:{uniqueId:$id}){nodes{id}}}', {
    id: visitor.visitorId,
  });
  await site.admin.run('mutation($id:ID!){visitorErase(input:{id:$id}){userErrors{code}}}', {
    id: data.visitors.nodes[0].id,
  });
  assert.equal((await withTimeout('the connection is closed', socket.closed)).code, 4401);
});
