import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openSite, type Site, type SiteOperator, type SiteVisitor } from '../../support/people/site.ts';
import { PATIENCE_MS, patiently } from '../../support/waiting/until.ts';

let site: Site;
let operator: SiteOperator;
before(async () => {
  site = await openSite();
  operator = await site.operator({ pseudo: 'Bob', chat_max_number: 50, video_enabled: true, chat_to_video: true });
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

const eventsIn = (seen: readonly { data: { conversationEvents: Event } }[]) =>
  seen.map(({ data }) => data.conversationEvents);
const positionOf = async (visitor: SiteVisitor) => (await visitor.run('{eventPosition}')).data.eventPosition;

test('rule 20: a visitor sees all that happens in their conversation, in order', async () => {
  const visitor = await site.visitor();
  const after = await positionOf(visitor);
  const { id } = await visitor.start({ message: 'Hello' });
  const socket = visitor.socket();
  const watched = await socket.watch(EVENTS, { id, after });
  await operator.accept(id);
  await operator.send(id, 'Good morning');
  await visitor.send(id, 'A question');
  await site.admin.run('mutation($id:ID!){conversationTag(input:{id:$id,tagIds:[]}){userErrors{code}}}', { id });
  await visitor.run('mutation($id:ID!){conversationClose(input:{id:$id}){userErrors{code}}}', { id });
  await visitor.run(
    'mutation($id:ID!){satisfactionAnswer(input:{conversationId:$id,welcome:5,resolution:5,delay:5}){userErrors{code}}}',
    { id },
  );
  await watched.until((seen) => eventsIn(seen).some(({ type }) => type === 'satisfaction.answered'));
  const events = eventsIn(watched.seen);
  assert.deepEqual(
    events.map(({ type, message }) => (message ? `${message.sequence} ${message.text}` : type)),
    [
      ...['conversation.queued', '1 Hello', 'conversation.offered', 'conversation.started', '2 Good morning'],
      ...['3 A question', 'conversation.closed', 'satisfaction.answered'],
    ],
    'what operators note for themselves is not told',
  );
  const positions = events.map(({ position }) => Number(position));
  assert.deepEqual(
    positions,
    positions.toSorted((a, b) => a - b),
  );
  assert.deepEqual(events.at(-1)?.conversation.operator, { pseudo: 'Bob' });
  socket.end();
});

test('rules 18 and 20: over many reconnects nothing is missed and nothing comes twice', async () => {
  const visitor = await site.visitor();
  let after = await positionOf(visitor);
  const { id } = await visitor.start();
  await operator.accept(id);
  const MOST = 120;
  const writing = (async () => {
    for (let number = 1; number <= MOST; number += 1) {
      await (number % 2 === 0 ? operator.send(id, String(number)) : visitor.send(id, String(number)));
    }
  })();
  const got: Event[] = [];
  while (got.filter(({ message }) => message).length < MOST) {
    const socket = visitor.socket();
    const watched = await socket.watch(EVENTS, { id, after });
    await watched.until((seen) => seen.length >= 7 || eventsIn(seen).some(({ message }) => message?.sequence === MOST));
    socket.end(); // in the middle of what is coming
    got.push(...eventsIn(watched.seen));
    after = got.at(-1)?.position ?? after;
  }
  await writing;
  const messages = got.filter(({ type }) => type === 'message.created').map(({ message }) => message?.text);
  assert.deepEqual(
    messages,
    Array.from({ length: MOST }, (_, index) => String(index + 1)),
  );
  assert.equal(new Set(got.map(({ position }) => position)).size, got.length);
});

test('without a position it is what happens from now on', async () => {
  const visitor = await site.visitor();
  const { id } = await visitor.start({ message: 'before' });
  const socket = visitor.socket();
  const watched = await socket.watch(EVENTS, { id });
  await visitor.send(id, 'after');
  await watched.until((seen) => seen.length > 0);
  assert.equal(eventsIn(watched.seen)[0]?.message?.text, 'after');
  socket.end();
});

test('a chat that becomes a video is told where the chat is watched', async () => {
  const visitor = await site.visitor();
  const { id } = await visitor.start();
  await operator.accept(id);
  const socket = visitor.socket();
  const watched = await socket.watch(EVENTS, { id });
  const escalated = await operator.run(
    'mutation($id:ID!){conversationEscalate(input:{id:$id}){conversation{id} userErrors{message}}}',
    { id },
  );
  assert.deepEqual(escalated.data.conversationEscalate.userErrors, []);
  await watched.until((seen) => seen.length > 0);
  const [event] = eventsIn(watched.seen);
  assert.deepEqual(
    [event?.type, event?.conversation.escalatedTo],
    [
      'conversation.updated',
      { id: escalated.data.conversationEscalate.conversation.id, channel: 'VIDEO', state: 'ACTIVE' },
    ],
  );
  socket.end();
});

test('a position that is none, or from the future, is refused', { timeout: PATIENCE_MS }, async () => {
  const visitor = await site.visitor();
  const { id } = await visitor.start();
  for (const after of ['x', '-1', '99999999']) {
    const socket = visitor.socket();
    const watched = await socket.watch(EVENTS, { id, after });
    assert.match(JSON.stringify(await watched.failed), /BAD_REQUEST/, after);
    socket.end();
  }
});

test('rule 17: a connection ends soon after its token', async () => {
  const visitor = await site.visitor();
  const socket = visitor.socket();
  await socket.run('{__typename}');
  const { data } = await site.admin.run('query($id:String){visitors(filter:{uniqueId:$id}){nodes{id}}}', {
    id: visitor.visitorId,
  });
  await site.admin.run('mutation($id:ID!){visitorErase(input:{id:$id}){userErrors{code}}}', {
    id: data.visitors.nodes[0].id,
  });
  assert.equal((await patiently('the connection ends', socket.closed)).code, 4401);
});
