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
import type { Socket, Watched } from '../../support/clients/subscriptions.ts';
import { type Desks, type Person, startDesks } from '../../support/people/desk.ts';
import { until } from '../../support/waiting/until.ts';

let desks: Desks;
let admin: Person;
before(async () => {
  desks = await startDesks();
  admin = await desks.person({ roles: ['admin'], chatEnabled: false });
});
after(() => desks.stop());

const EVENT = `position type at reason conversationId conversation{id state operator{id}}
  message{sequence author text} operator{id live{connected chat{slotNumber}}}`;
const DESK = `subscription($after:ID){deskEvents(after:$after){${EVENT}}}`;
const CONVERSATION = `subscription($id:ID!,$after:ID){conversationEvents(id:$id,after:$after){${EVENT}}}`;

// biome-ignore lint/suspicious/noExplicitAny: events as they came
type Event = any;
const eventsOf = (watched: Watched): Event[] =>
  watched.seen.map((message) => message.data?.deskEvents ?? message.data?.conversationEvents);
const typesOf = (watched: Watched) => eventsOf(watched).map((event) => event.type);

/** Somebody with a skill of their own, so that what asks for it is theirs. */
async function deskPerson(fields: object = {}) {
  const skillId = await desks.world.skill();
  const person = await desks.person({ skillList: [skillId], ...fields });
  return { person, skillId, start: (input: object = {}) => desks.world.start({ skillId, ...input }) };
}

async function open(person: Person, socket = person.connect(), after?: number | string) {
  const watched = await socket.watch(DESK, after === undefined ? {} : { after: String(after) });
  return { socket, watched };
}

/** Opens a desk and waits until its operator is connected. */
async function openConnected(person: Person, socket: Socket = person.connect()) {
  const opened = await open(person, socket);
  await opened.watched.until((seen) => seen.length > 0);
  return opened;
}

const isConnected = async ({ id }: Person) => (await desks.world.live(id)).connected;
const isInGrace = async ({ id }: Person) => (await desks.world.live(id)).inGrace;
const leasesOf = ({ id }: Person) =>
  desks.world.installation.database.read
    .selectFrom('operatorLeases')
    .selectAll()
    .where('operatorId', '=', id)
    .execute();

/** Time passes, as a desk sees it: a ping every 15 s, and its answer. */
async function stayOpen(person: Person, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await desks.world.pass(15_000);
    const end = desks.world.installation.clock.now + 30_000;
    const isRenewed = async () => (await leasesOf(person)).some(({ expiresAt }) => expiresAt === end);
    await until('an answered ping renews the lease for 30 s', isRenewed);
  }
}

const run = async (person: Person, mutation: string) => {
  const { data, errors } = await person.run(`mutation{${mutation}{userErrors{code message}}}`);
  assert.deepEqual([errors, Object.values<Event>(data)[0].userErrors], [[], []]);
};

test('rule 20: a desk hears of all that concerns its operator, in order, and of nothing else', async () => {
  const { person, start } = await deskPerson();
  const stranger = await deskPerson();
  const { watched } = await openConnected(person);
  await open(stranger.person);
  await until('the other one is there too', () => isConnected(stranger.person));
  const theirs = await stranger.start({ message: 'Not yours' });
  const { id } = await start({ message: 'Hello', clientId: 'h' });
  await run(person, `offerAccept(input:{conversationId:${id}})`);
  await run(person, `messageSend(input:{conversationId:${id} text:"Good day"})`);
  await run(person, `operatorAvailabilityUpdate(input:{chat:false})`);
  await desks.world.close(await desks.world.accept(theirs));
  await run(person, `conversationClose(input:{id:${id}})`);
  await watched.until(() => typesOf(watched).includes('conversation.closed'));
  assert.deepEqual(typesOf(watched), [
    'operator.connected',
    'conversation.offered',
    'conversation.started',
    'message.created',
    'operator.availability_updated',
    'conversation.closed',
  ]);
  const [connected, offered, , written, , closed] = eventsOf(watched);
  assert.equal(connected.operator.id, String(person.id));
  assert.deepEqual([offered.conversationId, offered.operator, offered.message], [String(id), null, null]);
  assert.deepEqual(written.message, { sequence: 2, author: 'OPERATOR', text: 'Good day' });
  assert.deepEqual(closed.conversation, { id: String(id), state: 'CLOSED', operator: { id: String(person.id) } });
  const positions = eventsOf(watched).map((event) => Number(event.position));
  assert.deepEqual(
    positions,
    positions.toSorted((a, b) => a - b),
  );
});

test('rule 20: whoever loses a conversation hears of it, without what happens in it afterwards', async () => {
  const { person, start } = await deskPerson();
  const other = await deskPerson();
  const { watched } = await openConnected(person);
  await openConnected(other.person);
  const { id } = await start();
  await run(person, `offerAccept(input:{conversationId:${id}})`);
  await run(admin, `conversationTake(input:{id:${id} operatorId:${other.person.id}})`);
  await run(other.person, `messageSend(input:{conversationId:${id} text:"A secret"})`);
  await run(person, 'operatorAvailabilityUpdate(input:{chat:false})'); // comes after all that
  await watched.until(() => typesOf(watched).includes('operator.availability_updated'));
  const types = typesOf(watched);
  assert.deepEqual(types.slice(types.indexOf('conversation.transferred')), [
    'conversation.transferred',
    'operator.availability_updated',
  ]);
  const lost = eventsOf(watched).at(-2);
  assert.deepEqual([lost.conversationId, lost.conversation, lost.message], [String(id), null, null]);
  assert.ok(watched.seen.every((message) => message.errors === undefined));
});

test('rule 18: between a query and the subscription nothing is missed, with the position read first', async () => {
  const { person, start } = await deskPerson();
  await desks.world.connect(person.id);
  const { data } = await person.run('{eventPosition conversations{nodes{id}}}');
  const { id } = await start();
  const { watched } = await open(person, undefined, data.eventPosition);
  await watched.until(() => typesOf(watched).includes('conversation.offered'));
  assert.equal(eventsOf(watched)[0].conversationId, String(id));
});

/** What somebody can do meanwhile. */
type Step = 'start' | 'accept' | 'write' | 'close' | 'wish' | 'cut' | 'come back' | 'wait';

test('rules 18 and 20: however often the connection is cut, nothing is missed and nothing comes twice', async () => {
  const steps = fc.array(
    fc.constantFrom<Step>('start', 'accept', 'write', 'write', 'close', 'wish', 'cut', 'come back', 'wait'),
    { minLength: 10, maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (plan) => {
      const { person, start } = await deskPerson({ chatMaxNumber: 5 });
      await desks.world.connect(person.id);
      const from = await desks.world.position();
      const heard: Event[] = [];
      let current: Awaited<ReturnType<typeof open>> | undefined = await open(person, undefined, from);
      const held: Conversation[] = [];
      let wish = true;
      const cut = async () => {
        current?.socket.end(); // what was on its way is lost
        await current?.socket.closed;
        if (current) heard.push(...eventsOf(current.watched));
        current = undefined;
      };
      const comeBack = async () => {
        current ??= await open(person, undefined, heard.at(-1)?.position ?? from);
        return current;
      };
      const acts: Record<Step, () => Promise<unknown>> = {
        start: async () => held.push(await start({ message: 'Hello' })),
        accept: async () => {
          const [offered] = held.filter(({ state }) => state === 'offered');
          if (offered) held[held.indexOf(offered)] = await desks.world.accept(offered);
        },
        write: async () => {
          const running = held.find(({ state }) => state === 'active');
          const { conversations } = desks.world.installation;
          const caller = desks.world.as(person.id);
          if (running)
            await conversations.send(desks.world.transact, caller, { conversationId: running.id, text: 'x' });
        },
        close: async () => {
          const index = held.findIndex(({ state }) => state === 'active');
          if (index >= 0) await desks.world.close(held.splice(index, 1)[0] as Conversation);
        },
        wish: () => {
          wish = !wish;
          return desks.world.setAvailable(person.id, 'chat', wish);
        },
        cut,
        'come back': comeBack,
        wait: () => setImmediate(),
      };
      for (const step of plan) await acts[step]();
      await desks.world.setAvailable(person.id, 'chat', !wish); // the last one, to wait for
      const end = await desks.world.position();
      const { watched } = await comeBack();
      await watched.until(() => eventsOf(watched).some((event) => Number(event.position) >= end));
      await cut();
      const expected = (await desks.world.eventsAfter(from)).filter(({ subjectType, subjectId, changes, position }) => {
        const { operatorId, previousOperatorId } = changes.values;
        const own = subjectType === 'operator' && subjectId === person.id;
        return position <= end && (own || [operatorId, previousOperatorId].includes(person.id));
      });
      assert.deepEqual(
        heard.filter((event) => Number(event.position) <= end).map((event) => `${event.position} ${event.type}`),
        expected.map((event) => `${event.position} ${event.type}`),
      );
    }),
    { numRuns: 12 },
  );
});

test('rule 20: a position that the log has no more, or never had, is refused in words', async () => {
  const other = await startDesks();
  try {
    const person = await other.person();
    const failure = async (after: string) => {
      const { watched } = { watched: await person.connect().watch(DESK, { after }) };
      const [error] = (await watched.failed) as { message: string; extensions: { code: string } }[];
      return [error?.extensions.code, error?.message];
    };
    const newest = await other.world.position();
    await other.world.transact((tx) => tx.db.deleteFrom('events').where('position', '<=', 3).execute());
    assert.deepEqual(await failure('1'), [
      'BAD_REQUEST',
      'The position 1 is too old: read again and follow from the present position.',
    ]);
    assert.deepEqual(await failure(String(newest + 1)), ['BAD_REQUEST', `The position ${newest + 1} was never given.`]);
    assert.equal((await other.world.live(person.id)).connected, false, 'and nobody became connected by it');
    for (const wrong of ['x', '-1', '1.5', '']) {
      const watched = await person.connect().watch(DESK, { after: wrong });
      await watched.until((seen) => seen.length > 0);
      assert.equal(watched.seen[0].errors[0].extensions.code, 'BAD_REQUEST', wrong);
    }
  } finally {
    await other.stop();
  }
});

test('rule 1: while a desk is open and answers pings its operator is connected', async () => {
  const { person } = await deskPerson();
  const { watched } = await openConnected(person);
  assert.equal(await isConnected(person), true);
  await stayOpen(person, 6);
  assert.equal(await isConnected(person), true, 'a minute and a half, three leases');
  assert.deepEqual(typesOf(watched), ['operator.connected'], 'and it never flapped');
});

test('rule 1: who does not answer a ping is not renewed, is cut off, and is gone after the grace', async () => {
  const { person } = await deskPerson();
  const deaf = new WebSocket(`${desks.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  await new Promise((resolve) => deaf.once('open', resolve));
  (deaf as unknown as { pong(): void }).pong = () => undefined;
  deaf.send(JSON.stringify({ type: 'connection_init', payload: { token: person.token } }));
  deaf.once('message', () => {
    deaf.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query: 'subscription{deskEvents{type}}' } }));
  });
  await until('the desk is open', () => isConnected(person));
  const [before] = await leasesOf(person);
  await new Promise((resolve) => deaf.once('close', resolve));
  await until('its connection was ended', () => isInGrace(person));
  assert.equal(
    (await leasesOf(person))[0]?.expiresAt,
    (before?.expiresAt ?? 0) - 20_000,
    'never renewed: 30 s, then 10 s',
  );
  await desks.world.pass(10_000);
  assert.equal(await isConnected(person), false);
});

test('rule 1: pongs that nobody asked for renew nothing', async () => {
  const { person } = await deskPerson();
  const { socket } = await openConnected(person);
  const raw = new WebSocket(`${desks.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  await new Promise((resolve) => raw.once('open', resolve));
  const { database } = desks.world.installation;
  const transaction = database.transaction.bind(database);
  let changes = 0;
  database.transaction = (work) => {
    changes += 1;
    return transaction(work);
  };
  try {
    raw.send(JSON.stringify({ type: 'connection_init', payload: { token: person.token } }));
    await new Promise((resolve) => raw.once('message', resolve));
    raw.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query: 'subscription{deskEvents{type}}' } }));
    await until('both connections hold a lease', async () => (await leasesOf(person)).length === 2);
    changes = 0;
    for (let n = 0; n < 200; n += 1) raw.pong();
    raw.send(JSON.stringify({ type: 'ping' }));
    await new Promise((resolve) => raw.on('message', (data) => String(data).includes('"pong"') && resolve(undefined)));
    await socket.pinged(1); // what the pongs have brought about has begun meanwhile
  } finally {
    database.transaction = transaction;
  }
  assert.ok(changes < 100, `${changes} transactions for 200 pongs`);
  raw.terminate();
});

test('rule 1: a closed desk has 10 s of grace, and a reloaded page does not flap', async () => {
  const { person, start } = await deskPerson();
  const first = await openConnected(person);
  const position = await desks.world.position();
  first.socket.end();
  await until('the grace has begun', () => isInGrace(person));
  assert.equal((await start()).state, 'queued', 'nothing is given to a page that may be gone');
  await desks.world.pass(9000);
  const second = await open(person, undefined, position);
  await second.watched.until(() => typesOf(second.watched).includes('conversation.offered'));
  assert.equal(await isInGrace(person), false);
  await desks.world.pass(9000);
  assert.equal(await isConnected(person), true);
  second.socket.end();
  await until('it is closed again', () => isInGrace(person));
  await desks.world.pass(10_000);
  assert.equal(await isConnected(person), false);
  const types = (await desks.world.eventsAfter(position)).filter(({ subjectId, subjectType }) => {
    return subjectType === 'operator' && subjectId === person.id;
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

test('rule 1: ending the subscription is enough, and several on one connection are one lease', async () => {
  const { person } = await deskPerson();
  const { watched, socket } = await openConnected(person);
  const second = await socket.watch(DESK);
  assert.equal((await leasesOf(person)).length, 1);
  watched.stop();
  for (let turn = 0; turn < 3; turn += 1) await socket.run('{eventPosition}'); // the end has arrived before them
  assert.equal(await isInGrace(person), false, 'one is still open');
  second.stop();
  await until('both are ended', () => isInGrace(person));
  const third = await socket.watch(DESK);
  await until('it is opened again on the same connection', async () => !(await isInGrace(person)));
  assert.equal((await leasesOf(person)).length, 1);
  third.stop();
});

test('rule 2: a desk that answers takes up a lease that ended by time alone', async () => {
  const { person } = await deskPerson();
  const connection = { pongs: new Set<() => void>() }; // it answers when the test says so
  const desk = new DeskPresence(desks.world.installation.live, connection, () => false);
  await desk.enter(desks.world.as(person.id), person.id);
  assert.equal(await isConnected(person), true);
  await desks.world.pass(31_000); // nobody could renew meanwhile
  await until('its end is noticed', async () => !(await isConnected(person)));
  for (const answer of connection.pongs) answer();
  await until('it is connected again', () => isConnected(person));
  assert.equal((await leasesOf(person)).length, 1);
  desk.leave();
});

test('rule 3: taken offline by somebody else, no automatic reconnect returns, but operatorConnect does, for good', async () => {
  const { person } = await deskPerson();
  const { watched, socket } = await openConnected(person);
  await run(admin, `operatorDisconnect(input:{id:${person.id}})`);
  await watched.until(() => typesOf(watched).includes('operator.disconnected'));
  assert.equal(eventsOf(watched).at(-1).reason, 'taken_offline');
  await socket.pinged(3);
  assert.equal(await isConnected(person), false, 'not by its pongs');
  socket.end();
  const again = await open(person);
  await again.socket.pinged(3);
  assert.equal(await isConnected(person), false, 'not by a new connection');
  assert.deepEqual(await leasesOf(person), []);
  await run(person, 'operatorConnect(input:{ttlSeconds:20})');
  await again.watched.until(() => typesOf(again.watched).includes('operator.connected'));
  await until('the desk holds its lease again', async () => (await leasesOf(person)).length === 2);
  await stayOpen(person, 3);
  assert.equal(await isConnected(person), true, 'longer than operatorConnect asked for');
});

test('rule 3: whoever signs off themself is not brought back by an open desk, until they connect', async () => {
  const { person } = await deskPerson();
  const { watched, socket } = await openConnected(person);
  await run(person, `operatorDisconnect(input:{id:${person.id}})`);
  await watched.until(() => typesOf(watched).includes('operator.disconnected'));
  await socket.pinged(3);
  assert.equal(await isConnected(person), false);
  assert.equal(eventsOf(watched).at(-1).reason, 'signed_off');
  await run(person, 'operatorConnect(input:{ttlSeconds:5})');
  await until('the desk holds its lease again', async () => (await leasesOf(person)).length === 2);
  await stayOpen(person, 3);
  assert.equal(await isConnected(person), true);
});

test('a stop of the service leaves the lease: it ends by itself, or another node takes over', async () => {
  for (const isStopping of [true, false]) {
    const { person } = await deskPerson();
    const connection = { pongs: new Set<() => void>() };
    const desk = new DeskPresence(desks.world.installation.live, connection, () => isStopping);
    await desk.enter(desks.world.as(person.id), person.id);
    desk.leave();
    if (isStopping) {
      await desks.world.setAvailable(person.id, 'chat', false); // a later change, which the lease's would precede
    } else await until('the grace begins', () => isInGrace(person));
    assert.equal(await isInGrace(person), !isStopping);
    assert.equal(connection.pongs.size, 0);
  }
});

test('rule 20: a conversation can be followed by whoever may see it, as long as they may', async () => {
  const { person, start } = await deskPerson();
  const other = await deskPerson();
  for (const each of [person, other.person]) await openConnected(each);
  const { id } = await start();
  const from = await desks.world.position();
  const mine = await person.connect().watch(CONVERSATION, { id });
  const admins = await admin.connect().watch(CONVERSATION, { id, after: String(from) });
  for (const refused of [other.person]) {
    const [error] = (await (await refused.connect().watch(CONVERSATION, { id })).failed) as Event[];
    assert.equal(error.extensions.code, 'FORBIDDEN');
  }
  const unknown = (await (await admin.connect().watch(CONVERSATION, { id: '999999' })).failed) as Event[];
  assert.equal(unknown[0].extensions.code, 'BAD_REQUEST');
  await run(person, `offerAccept(input:{conversationId:${id}})`);
  await run(person, `messageSend(input:{conversationId:${id} text:"One"})`);
  await mine.until(() => typesOf(mine).length === 2);
  assert.equal(eventsOf(mine).at(-1).message.text, 'One');
  await run(person, `conversationTransfer(input:{id:${id} operatorId:${other.person.id}})`);
  const [error] = (await mine.failed) as Event[];
  assert.equal(error.extensions.code, 'FORBIDDEN');
  await run(other.person, `offerAccept(input:{conversationId:${id}})`);
  await admins.until(() => typesOf(admins).length === 5);
  assert.deepEqual(typesOf(mine), ['conversation.started', 'message.created']);
  assert.deepEqual(typesOf(admins), [
    'conversation.started',
    'message.created',
    'conversation.transferred',
    'conversation.offered',
    'conversation.started',
  ]);
});

test('the documents of the page about desks fit the schema', () => {
  const page = readFileSync(new URL('../../../docs/desk.md', import.meta.url), 'utf8');
  const documents = [...page.matchAll(/```graphql\n(.*?)```/gs)].map(([, text]) => text ?? '');
  assert.equal(documents.length, 2);
  for (const document of documents) assert.deepEqual(validate(schema, parse(document)), []);
});

test('nothing of all this broke what must always hold', async () => {
  assert.deepEqual(await desks.world.brokenInvariants(), []);
});
