import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { parse, validate } from 'graphql';
import { WebSocket } from 'ws';
import { DeskPresence } from '../../../src/api/graphql/desk-presence.ts';
import { schema } from '../../../src/api/graphql/schema.ts';
import type { Conversation } from '../../../src/core/engine/records/conversation.ts';
import { insertMessageLeft } from '../../../src/core/engine/records/message-left-store.ts';
import type { Socket, Subscription } from '../../support/clients/subscriptions.ts';
import { type DeskOperator, type Desks, startDesks } from '../../support/fixtures/desks.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

let desks: Desks;
let admin: DeskOperator;
before(async () => {
  desks = await startDesks();
  admin = await desks.createOperator({ roles: ['admin'], chatEnabled: false });
});
after(() => desks.stop());

const EVENT = `position type at reason conversationId conversation{id state operator{id}}
  message{sequence author text} operator{id live{connected chat{slotNumber}}}`;
const DESK = `subscription($after:ID){deskEvents(after:$after){${EVENT}}}`;
const CONVERSATION = `subscription($id:ID!,$after:ID){conversationEvents(id:$id,after:$after){${EVENT}}}`;

// biome-ignore lint/suspicious/noExplicitAny: raw events
type Event = any;
const eventsOf = (subscription: Subscription): Event[] =>
  subscription.results.map((message) => message.data?.deskEvents ?? message.data?.conversationEvents);
const typesOf = (subscription: Subscription) => eventsOf(subscription).map((event) => event.type);

/** Creates an operator with a separate skill, who alone gets the offers of conversations that ask for it. */
async function createDeskOperator(fields: object = {}) {
  const skillId = await desks.fixture.createSkill();
  const operator = await desks.createOperator({ skillList: [skillId], ...fields });
  return { operator, skillId, start: (input: object = {}) => desks.fixture.startConversation({ skillId, ...input }) };
}

async function openDesk(operator: DeskOperator, socket = operator.connect(), after?: number | string) {
  const subscription = await socket.subscribe(DESK, after === undefined ? {} : { after: String(after) });
  return { socket, subscription };
}

/** Opens a desk and waits until its operator is connected. */
async function openConnectedDesk(operator: DeskOperator, socket: Socket = operator.connect()) {
  const opened = await openDesk(operator, socket);
  await opened.subscription.waitUntil((results) => results.length > 0);
  return opened;
}

const isConnected = async ({ id }: DeskOperator) => (await desks.fixture.loadLiveState(id)).connected;
const isInGrace = async ({ id }: DeskOperator) => (await desks.fixture.loadLiveState(id)).inGrace;
const leasesOf = ({ id }: DeskOperator) =>
  desks.fixture.installation.database.read
    .selectFrom('operatorLeases')
    .selectAll()
    .where('operatorId', '=', id)
    .execute();

/** Advances the time as for an open desk: a ping every 15 s, and its pong. */
async function stayOpen(operator: DeskOperator, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await desks.fixture.advanceTime(15_000);
    const end = desks.fixture.installation.clock.now + 30_000;
    const isRenewed = async () => (await leasesOf(operator)).some(({ expiresAt }) => expiresAt === end);
    await waitUntil('an answered ping renews the lease for 30 s', isRenewed);
  }
}

const mutate = async (operator: DeskOperator, mutation: string) => {
  const { data, errors } = await operator.run(`mutation{${mutation}{userErrors{code message}}}`);
  assert.deepEqual([errors, Object.values<Event>(data)[0].userErrors], [[], []]);
};

test('rule 20: a desk receives every event of its operator, in order, and no others', async () => {
  const { operator, start } = await createDeskOperator();
  const other = await createDeskOperator();
  const { subscription } = await openConnectedDesk(operator);
  await openDesk(other.operator);
  await waitUntil('the other operator is connected', () => isConnected(other.operator));
  const otherConversation = await other.start({ message: 'Not yours' });
  const { id } = await start({ message: 'Hello', clientId: 'h' });
  await mutate(operator, `offerAccept(input:{conversationId:${id}})`);
  await mutate(operator, `messageSend(input:{conversationId:${id} text:"Good day"})`);
  await mutate(operator, `operatorAvailabilityUpdate(input:{chat:false})`);
  await desks.fixture.close(await desks.fixture.accept(otherConversation));
  await mutate(operator, `conversationClose(input:{id:${id}})`);
  await subscription.waitUntil(() => typesOf(subscription).includes('conversation.closed'));
  assert.deepEqual(typesOf(subscription), [
    'operator.connected',
    'conversation.offered',
    'conversation.started',
    'message.created',
    'message.created',
    'operator.availability_updated',
    'conversation.closed',
  ]);
  const [connected, offered, , , sent, , closed] = eventsOf(subscription);
  assert.equal(connected.operator.id, String(operator.id));
  assert.deepEqual([offered.conversationId, offered.operator, offered.message], [String(id), null, null]);
  assert.deepEqual(sent.message, { sequence: 3, author: 'OPERATOR', text: 'Good day' });
  assert.deepEqual(closed.conversation, { id: String(id), state: 'CLOSED', operator: { id: String(operator.id) } });
  const positions = eventsOf(subscription).map((event) => Number(event.position));
  assert.deepEqual(
    positions,
    positions.toSorted((a, b) => a - b),
  );
});

test('rule 20: an operator who loses a conversation receives that event, but no later ones of it', async () => {
  const { operator, start } = await createDeskOperator();
  const other = await createDeskOperator();
  const { subscription } = await openConnectedDesk(operator);
  await openConnectedDesk(other.operator);
  const { id } = await start();
  await mutate(operator, `offerAccept(input:{conversationId:${id}})`);
  await mutate(admin, `conversationTake(input:{id:${id} operatorId:${other.operator.id}})`);
  await mutate(other.operator, `messageSend(input:{conversationId:${id} text:"A secret"})`);
  await mutate(operator, 'operatorAvailabilityUpdate(input:{chat:false})'); // the last event
  await subscription.waitUntil(() => typesOf(subscription).includes('operator.availability_updated'));
  const types = typesOf(subscription);
  assert.deepEqual(types.slice(types.indexOf('conversation.transferred')), [
    'conversation.transferred',
    'operator.availability_updated',
  ]);
  const lost = eventsOf(subscription).at(-2);
  assert.deepEqual([lost.conversationId, lost.conversation, lost.message], [String(id), null, null]);
  assert.ok(subscription.results.every((message) => message.errors === undefined));
});

test('rule 18: a subscription from a position read with a query misses no event in between', async () => {
  const { operator, start } = await createDeskOperator();
  await desks.fixture.connect(operator.id);
  const { data } = await operator.run('{eventPosition conversations{nodes{id}}}');
  const { id } = await start();
  const { subscription } = await openDesk(operator, undefined, data.eventPosition);
  await subscription.waitUntil(() => typesOf(subscription).includes('conversation.offered'));
  assert.equal(eventsOf(subscription)[0].conversationId, String(id));
});

/** What can happen while a desk disconnects and reconnects. */
type Step = 'start' | 'accept' | 'write' | 'close' | 'toggle' | 'disconnect' | 'reconnect' | 'wait';

test('rules 18 and 20: however often the connection is lost, no event is missed or repeated', async () => {
  const steps = fc.array(
    fc.constantFrom<Step>('start', 'accept', 'write', 'write', 'close', 'toggle', 'disconnect', 'reconnect', 'wait'),
    { minLength: 10, maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (plan) => {
      const { operator, start } = await createDeskOperator({ chatMaxNumber: 5 });
      await desks.fixture.connect(operator.id);
      const from = await desks.fixture.readPosition();
      const received: Event[] = [];
      let current: Awaited<ReturnType<typeof openDesk>> | undefined = await openDesk(operator, undefined, from);
      const ongoing: Conversation[] = [];
      let isAvailable = true;
      const disconnect = async () => {
        current?.socket.end(); // events in transit are lost
        await current?.socket.closed;
        if (current) received.push(...eventsOf(current.subscription));
        current = undefined;
      };
      const reconnect = async () => {
        current ??= await openDesk(operator, undefined, received.at(-1)?.position ?? from);
        return current;
      };
      const actions: Record<Step, () => Promise<unknown>> = {
        start: async () => ongoing.push(await start({ message: 'Hello' })),
        accept: async () => {
          const [offered] = ongoing.filter(({ state }) => state === 'offered');
          if (offered) ongoing[ongoing.indexOf(offered)] = await desks.fixture.accept(offered);
        },
        write: async () => {
          const running = ongoing.find(({ state }) => state === 'active');
          const { conversations } = desks.fixture.installation;
          const caller = desks.fixture.callerFor(operator.id);
          if (running)
            await conversations.send(desks.fixture.transact, caller, { conversationId: running.id, text: 'x' });
        },
        close: async () => {
          const index = ongoing.findIndex(({ state }) => state === 'active');
          if (index >= 0) await desks.fixture.close(ongoing.splice(index, 1)[0] as Conversation);
        },
        toggle: () => {
          isAvailable = !isAvailable;
          return desks.fixture.setAvailable(operator.id, 'chat', isAvailable);
        },
        disconnect,
        reconnect,
        wait: () => setImmediate(),
      };
      for (const step of plan) await actions[step]();
      await desks.fixture.setAvailable(operator.id, 'chat', !isAvailable); // the last one, to wait for
      const end = await desks.fixture.readPosition();
      const { subscription } = await reconnect();
      await subscription.waitUntil(() => eventsOf(subscription).some((event) => Number(event.position) >= end));
      await disconnect();
      const expected = (await desks.fixture.loadEventsAfter(from)).filter(
        ({ subjectType, subjectId, changes, position }) => {
          const { operatorId, previousOperatorId } = changes.values;
          const isOwn = subjectType === 'operator' && subjectId === operator.id;
          return position <= end && (isOwn || [operatorId, previousOperatorId].includes(operator.id));
        },
      );
      assert.deepEqual(
        received.filter((event) => Number(event.position) <= end).map((event) => `${event.position} ${event.type}`),
        expected.map((event) => `${event.position} ${event.type}`),
      );
    }),
    { numRuns: process.env.FULL === '1' ? 12 : 6 },
  );
});

test('rule 20: a position that the log no longer has, or does not have yet, is rejected with a message', async () => {
  const other = await startDesks();
  try {
    const operator = await other.createOperator();
    const getFailure = async (after: string) => {
      const subscription = await operator.connect().subscribe(DESK, { after });
      const [error] = (await subscription.failed) as { message: string; extensions: { code: string } }[];
      return [error?.extensions.code, error?.message];
    };
    const newest = await other.fixture.readPosition();
    await other.fixture.transact((tx) => tx.db.deleteFrom('events').where('position', '<=', 3).execute());
    assert.deepEqual(await getFailure('1'), [
      'BAD_REQUEST',
      'The position is too old: read again and follow from the current position.',
    ]);
    assert.deepEqual(await getFailure(String(newest + 1)), ['BAD_REQUEST', 'The position does not exist yet.']);
    assert.equal(
      (await other.fixture.loadLiveState(operator.id)).connected,
      false,
      'the rejected subscription connected the operator',
    );
    for (const wrong of ['x', '-1', '1.5', '']) {
      const subscription = await operator.connect().subscribe(DESK, { after: wrong });
      await subscription.waitUntil((results) => results.length > 0);
      assert.equal(subscription.results[0].errors[0].extensions.code, 'BAD_REQUEST', wrong);
    }
  } finally {
    await other.stop();
  }
});

test('rule 1: while a desk is open and answers pings its operator is connected', async () => {
  const { operator } = await createDeskOperator();
  const { subscription } = await openConnectedDesk(operator);
  assert.equal(await isConnected(operator), true);
  await stayOpen(operator, 6);
  assert.equal(await isConnected(operator), true, 'a minute and a half, three leases');
  assert.deepEqual(typesOf(subscription), ['operator.connected'], 'the connection never flapped');
});

test('rule 1: a desk that answers no pings is closed, and its operator disconnects after the grace period', async () => {
  const { operator } = await createDeskOperator();
  const unresponsive = new WebSocket(`${desks.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  await new Promise((resolve) => unresponsive.once('open', resolve));
  (unresponsive as unknown as { pong(): void }).pong = () => undefined;
  unresponsive.send(JSON.stringify({ type: 'connection_init', payload: { token: operator.token } }));
  unresponsive.once('message', () => {
    unresponsive.send(
      JSON.stringify({ type: 'subscribe', id: '1', payload: { query: 'subscription{deskEvents{type}}' } }),
    );
  });
  await waitUntil('the desk is open', () => isConnected(operator));
  const [before] = await leasesOf(operator);
  await new Promise((resolve) => unresponsive.once('close', resolve));
  await waitUntil('the connection was closed', () => isInGrace(operator));
  assert.equal(
    (await leasesOf(operator))[0]?.expiresAt,
    (before?.expiresAt ?? 0) - 20_000,
    'never renewed: 30 s, then 10 s',
  );
  await desks.fixture.advanceTime(10_000);
  assert.equal(await isConnected(operator), false);
});

test('rule 1: unsolicited pongs renew nothing', async () => {
  const { operator } = await createDeskOperator();
  const { socket } = await openConnectedDesk(operator);
  const raw = new WebSocket(`${desks.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  await new Promise((resolve) => raw.once('open', resolve));
  const { database } = desks.fixture.installation;
  const transaction = database.transaction.bind(database);
  let changes = 0;
  database.transaction = (work) => {
    changes += 1;
    return transaction(work);
  };
  try {
    raw.send(JSON.stringify({ type: 'connection_init', payload: { token: operator.token } }));
    await new Promise((resolve) => raw.once('message', resolve));
    raw.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query: 'subscription{deskEvents{type}}' } }));
    await waitUntil('both connections hold a lease', async () => (await leasesOf(operator)).length === 2);
    changes = 0;
    for (let n = 0; n < 200; n += 1) raw.pong();
    raw.send(JSON.stringify({ type: 'ping' }));
    await new Promise((resolve) => raw.on('message', (data) => String(data).includes('"pong"') && resolve(undefined)));
    await socket.waitForPings(1); // the work that the pongs caused has started by now
  } finally {
    database.transaction = transaction;
  }
  assert.ok(changes < 100, `${changes} transactions for 200 pongs`);
  raw.terminate();
});

test('rule 1: a closed desk has a grace period of 10 s, and a page reload does not flap', async () => {
  const { operator, start } = await createDeskOperator();
  const first = await openConnectedDesk(operator);
  const position = await desks.fixture.readPosition();
  first.socket.end();
  await waitUntil('the grace period has started', () => isInGrace(operator));
  assert.equal((await start()).state, 'queued', 'no offers in the grace period');
  await desks.fixture.advanceTime(9000);
  const second = await openDesk(operator, undefined, position);
  await second.subscription.waitUntil(() => typesOf(second.subscription).includes('conversation.offered'));
  assert.equal(await isInGrace(operator), false);
  await desks.fixture.advanceTime(9000);
  assert.equal(await isConnected(operator), true);
  second.socket.end();
  await waitUntil('the desk is closed again', () => isInGrace(operator));
  await desks.fixture.advanceTime(10_000);
  assert.equal(await isConnected(operator), false);
  const types = (await desks.fixture.loadEventsAfter(position)).filter(({ subjectId, subjectType }) => {
    return subjectType === 'operator' && subjectId === operator.id;
  });
  assert.deepEqual(
    types.map(({ type, changes }) => [type, changes.values.inGrace ?? changes.values.reason]),
    [
      ['operator.availability_updated', true],
      ['operator.availability_updated', false],
      ['operator.availability_updated', true],
      ['operator.disconnected', 'lease_ended'],
    ],
  );
});

test('rule 1: ending the subscription closes the desk, and several on one connection share one lease', async () => {
  const { operator } = await createDeskOperator();
  const { subscription, socket } = await openConnectedDesk(operator);
  const second = await socket.subscribe(DESK);
  assert.equal((await leasesOf(operator)).length, 1);
  subscription.stop();
  for (let turn = 0; turn < 3; turn += 1) await socket.run('{eventPosition}'); // the server has handled the end by then
  assert.equal(await isInGrace(operator), false, 'one is still open');
  second.stop();
  await waitUntil('both subscriptions have ended', () => isInGrace(operator));
  const third = await socket.subscribe(DESK);
  await waitUntil('the desk is open again on the same connection', async () => !(await isInGrace(operator)));
  assert.equal((await leasesOf(operator)).length, 1);
  third.stop();
});

test('rule 2: a desk that answers pings resumes an expired lease', async () => {
  const { operator } = await createDeskOperator();
  const connection = { pongListeners: new Set<() => void>() }; // the test triggers the pongs
  const desk = new DeskPresence(desks.fixture.installation.live, connection, () => false);
  await desk.enter(desks.fixture.callerFor(operator.id), operator.id);
  assert.equal(await isConnected(operator), true);
  await desks.fixture.advanceTime(31_000); // without a renewal
  await waitUntil('the lease has expired', async () => !(await isConnected(operator)));
  for (const listener of connection.pongListeners) listener();
  await waitUntil('the operator is connected again', () => isConnected(operator));
  assert.equal((await leasesOf(operator)).length, 1);
  desk.leave();
});

test('rule 3: after another user takes an operator offline, only operatorConnect connects them again', async () => {
  const { operator } = await createDeskOperator();
  const { subscription, socket } = await openConnectedDesk(operator);
  await mutate(admin, `operatorDisconnect(input:{id:${operator.id}})`);
  await subscription.waitUntil(() => typesOf(subscription).includes('operator.disconnected'));
  assert.equal(eventsOf(subscription).at(-1).reason, 'taken_offline');
  await socket.waitForPings(3);
  assert.equal(await isConnected(operator), false, 'not by its pongs');
  socket.end();
  const reopened = await openDesk(operator);
  await reopened.socket.waitForPings(3);
  assert.equal(await isConnected(operator), false, 'not by a new connection');
  assert.deepEqual(await leasesOf(operator), []);
  await mutate(operator, 'operatorConnect(input:{ttlSeconds:20})');
  await reopened.subscription.waitUntil(() => typesOf(reopened.subscription).includes('operator.connected'));
  await waitUntil('the desk holds its lease again', async () => (await leasesOf(operator)).length === 2);
  await stayOpen(operator, 3);
  assert.equal(await isConnected(operator), true, 'longer than the TTL of operatorConnect');
});

test('rule 3: an open desk does not reconnect an operator who signed off, until operatorConnect', async () => {
  const { operator } = await createDeskOperator();
  const { subscription, socket } = await openConnectedDesk(operator);
  await mutate(operator, `operatorDisconnect(input:{id:${operator.id}})`);
  await subscription.waitUntil(() => typesOf(subscription).includes('operator.disconnected'));
  await socket.waitForPings(3);
  assert.equal(await isConnected(operator), false);
  assert.equal(eventsOf(subscription).at(-1).reason, 'signed_off');
  await mutate(operator, 'operatorConnect(input:{ttlSeconds:5})');
  await waitUntil('the desk holds its lease again', async () => (await leasesOf(operator)).length === 2);
  await stayOpen(operator, 3);
  assert.equal(await isConnected(operator), true);
});

test('stopping the service leaves the lease, so that it expires or another node takes it over', async () => {
  for (const isStopping of [true, false]) {
    const { operator } = await createDeskOperator();
    const connection = { pongListeners: new Set<() => void>() };
    const desk = new DeskPresence(desks.fixture.installation.live, connection, () => isStopping);
    await desk.enter(desks.fixture.callerFor(operator.id), operator.id);
    desk.leave();
    if (isStopping) {
      await desks.fixture.setAvailable(operator.id, 'chat', false); // a release of the lease would be visible after this change
    } else await waitUntil('the grace period starts', () => isInGrace(operator));
    assert.equal(await isInGrace(operator), !isStopping);
    assert.equal(connection.pongListeners.size, 0);
  }
});

test('rule 20: a conversation can be followed by operators who may see it, while they may', async () => {
  const { operator, start } = await createDeskOperator();
  const other = await createDeskOperator();
  for (const deskOperator of [operator, other.operator]) await openConnectedDesk(deskOperator);
  const { id } = await start();
  const from = await desks.fixture.readPosition();
  const operatorEvents = await operator.connect().subscribe(CONVERSATION, { id });
  const adminEvents = await admin.connect().subscribe(CONVERSATION, { id, after: String(from) });
  for (const forbidden of [other.operator]) {
    const [error] = (await (await forbidden.connect().subscribe(CONVERSATION, { id })).failed) as Event[];
    assert.equal(error.extensions.code, 'FORBIDDEN');
  }
  const unknown = (await (await admin.connect().subscribe(CONVERSATION, { id: '999999' })).failed) as Event[];
  assert.equal(unknown[0].extensions.code, 'BAD_REQUEST');
  await mutate(operator, `offerAccept(input:{conversationId:${id}})`);
  await mutate(operator, `messageSend(input:{conversationId:${id} text:"One"})`);
  await operatorEvents.waitUntil(() => typesOf(operatorEvents).length === 3);
  assert.equal(eventsOf(operatorEvents).at(-1).message.text, 'One');
  await mutate(operator, `conversationTransfer(input:{id:${id} operatorId:${other.operator.id}})`);
  const [error] = (await operatorEvents.failed) as Event[];
  assert.equal(error.extensions.code, 'FORBIDDEN');
  await mutate(other.operator, `offerAccept(input:{conversationId:${id}})`);
  await adminEvents.waitUntil(() => typesOf(adminEvents).length === 8);
  assert.deepEqual(typesOf(operatorEvents), ['conversation.started', 'message.created', 'message.created']);
  assert.deepEqual(typesOf(adminEvents), [
    ...['conversation.started', 'message.created', 'message.created', 'message.created'],
    ...['conversation.transferred', 'conversation.offered', 'conversation.started', 'message.created'],
  ]);
});

test('a desk hears of messages left on the websites of its operator, and of the settings of the account', async () => {
  const { fixture } = desks;
  const website = await fixture.createWebsite();
  const people = {
    operator: await desks.createOperator({}),
    ofOtherWebsite: await desks.createOperator({ websiteList: [website] }),
    expert: await desks.createOperator({ roles: ['expert'] }),
    admin: await desks.createOperator({ roles: ['admin'], websiteList: [website] }),
  };
  const opened = await Promise.all(Object.values(people).map((each) => openConnectedDesk(each)));
  const { accounts, caller, database } = fixture.installation;
  const { visitorId, ...visitor } = await fixture.createVisitor();
  const leave = (id: number) =>
    fixture.transact((tx) =>
      insertMessageLeft(tx, visitor, {
        ...{
          accountId: fixture.accountId,
          id,
          websiteId: fixture.websiteId,
          visitorId,
          name: '',
          email: 'a@example.com',
        },
        ...{ text: 'Hello', page: '', createdAt: tx.now, operatorId: null, doneAt: null, doneBy: null },
      }),
    );
  const setSeconds = (waitingWarningSeconds: number) =>
    accounts.update(fixture.transact, caller, { waitingWarningSeconds });
  await leave(1);
  await setSeconds(61);
  // The last event for everyone: nothing can come after it unnoticed.
  await waitUntil('all have heard of the settings', () =>
    opened.every(({ subscription }) => typesOf(subscription).includes('account.updated')),
  );
  const heard = opened.map(({ subscription }) => typesOf(subscription).filter((type) => type !== 'operator.connected'));
  assert.deepEqual(heard, [
    ['message_left.created', 'account.updated'],
    ['account.updated'],
    ['account.updated'],
    ['message_left.created', 'account.updated'],
  ]);
  const [event] = eventsOf((opened[0] as (typeof opened)[number]).subscription).slice(-2);
  assert.deepEqual([event.conversationId, event.message, event.operator, event.reason], [null, null, null, null]);

  // Of those that came together, one is enough.
  const position = await fixture.readPosition();
  for (let id = 2; id < 40; id += 1) await leave(id);
  const later = await openDesk(people.operator, people.operator.connect(), position);
  await later.subscription.waitUntil((results) => results.length > 0);
  assert.deepEqual(typesOf(later.subscription), ['message_left.created']);
  await fixture.transact((tx) => tx.db.deleteFrom('messagesLeft').execute());
  assert.equal((await database.read.selectFrom('messagesLeft').selectAll().execute()).length, 0);
});

test('the GraphQL examples of docs/desk-api.md fit the schema', () => {
  const page = readFileSync(new URL('../../../docs/desk-api.md', import.meta.url), 'utf8');
  const documents = [...page.matchAll(/```graphql\n(.*?)```/gs)].map(([, text]) => text ?? '');
  assert.ok(documents.length > 10, 'the page has examples');
  for (const document of documents) assert.deepEqual(validate(schema, parse(document)), []);
});

test('all invariants hold after the tests above', async () => {
  assert.deepEqual(await desks.fixture.findBrokenInvariants(), []);
});
