import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Client, createClient } from 'graphql-ws';
import { waitUntil, withTimeout } from '../../support/waiting/wait.ts';
import { openWorld, type Person, type World } from './permission-people.ts';
import { TARGETS, type Viewer } from './permission-table.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.stop());

const RIGHTS_CHANGED = 4411;
const TOKEN_ENDED = 4401;

/** Opens a connection; `closed` resolves with its close code. */
async function openConnection(person: Person): Promise<{ socket: Client; closed: Promise<number> }> {
  let resolveCode: (code: number) => void;
  const closed = new Promise<number>((resolve) => {
    resolveCode = resolve;
  });
  const socket = createClient({
    url: `${world.switchboard.url.replace('http', 'ws')}/graphql`,
    connectionParams: { token: person.token },
    lazy: false,
    retryAttempts: 0,
    onNonLazyError: () => {},
    on: { closed: (event) => resolveCode((event as CloseEvent).code) },
  });
  await new Promise<void>((resolve) => {
    socket.on('connected', () => resolve());
  });
  return { socket, closed };
}

const CREATE_KEY = 'mutation { apiKeyCreate(input: { name: "K", access: WRITE }) { key } }';

async function codeOf(socket: Client, query: string): Promise<unknown> {
  const { value } = await socket.iterate({ query }).next();
  return value?.errors?.[0]?.extensions?.code;
}

test('an open connection has only the current permissions of its operator', async () => {
  const admin = await world.createViewer('admin');
  const { socket, closed } = await openConnection(admin);
  assert.equal(await codeOf(socket, CREATE_KEY), undefined);
  await world.rest.put(`/operator/${admin.id}`, { roles: ['operator'] });
  await waitUntil(
    'the mutation is rejected',
    async () => (await codeOf(socket, CREATE_KEY).catch(() => 'CLOSED')) !== undefined,
  );
  const code = await withTimeout('the connection is closed', closed);
  await socket.dispose();
  assert.equal(code, RIGHTS_CHANGED);
});

for (const [cause, viewer, change, code] of [
  ['a demotion', 'admin', (id: string) => world.rest.put(`/operator/${id}`, { roles: ['expert'] }), RIGHTS_CHANGED],
  ['another group', 'manager', (id: string) => moveToOtherGroup(id), RIGHTS_CHANGED],
  ['a delete', 'operator', (id: string) => world.rest.delete(`/operator/${id}`), TOKEN_ENDED],
] as const) {
  test(`${cause} ends existing subscriptions`, async () => {
    const person = await world.createViewer(viewer);
    const { socket, closed } = await openConnection(person);
    const stream = socket.iterate({ query: 'subscription { operatorLive { id email } }' });
    const next = stream.next().then(
      () => 'a message',
      () => 'closed',
    );
    await change(person.id);
    const closedWith = await withTimeout('the connection is closed', closed);
    await socket.dispose();
    assert.equal(closedWith, code);
    await next;
  });
}

function moveToOtherGroup(id: string): Promise<unknown> {
  return world.rest.put(`/operator/${id}`, { group_id: Number(world.groups.other) });
}

test('a change that keeps the permissions keeps the connection open', async () => {
  const person = await world.createViewer('manager');
  const demoted = await world.createViewer('manager');
  const { socket, closed } = await openConnection(person);
  const other = await openConnection(demoted);
  let isOpen = true;
  closed.then(() => {
    isOpen = false;
  });
  await world.rest.put(`/operator/${person.id}`, { name: 'Another', roles: ['manager', 'operator'] });
  await world.rest.put(`/operator/${demoted.id}`, { roles: ['operator'] });
  // Connections are checked in turn: once the two others are closed, this one was checked for both changes.
  assert.equal(await withTimeout('the second connection is closed', other.closed), RIGHTS_CHANGED);
  const third = await world.createViewer('manager');
  const last = await openConnection(third);
  await world.rest.put(`/operator/${third.id}`, { roles: ['operator'] });
  assert.equal(await withTimeout('the third connection is closed', last.closed), RIGHTS_CHANGED);
  assert.equal(isOpen, true);
  await socket.dispose();
});

/** Inserts closed conversations directly: so many of each operator. */
async function addConversations(counts: readonly (readonly [string, number])[]): Promise<void> {
  const insert = `insert into conversations
    (account_id, id, channel, website_id, skill_id, operator_id, language, state, created_at, accepted_at, first_answer_at, closed_at)
    values (1, ?, 'chat', ?, ?, ?, 'en', 'closed', 1, 2, 3, 4)`;
  let id = 0;
  for (const [operatorId, count] of counts) {
    for (let n = 0; n < count; n += 1) {
      id += 1;
      const parameters = [id, Number(world.website), Number(world.skill), Number(operatorId)];
      await world.switchboard.storedData.query(insert, ...parameters);
    }
  }
}

test('statistics of a skill count what the viewer may see, those of an operator only their conversations', async () => {
  const others = TARGETS.filter((target) => target !== 'self');
  // 1, 2, 4, … so that a sum shows which operators are in it.
  await addConversations([
    ...others.map((target, index) => [world.target('admin', target), 2 ** index] as const),
    [world.viewers.operator.id, 64],
  ]);
  const countFor = async (viewer: Viewer, query: string): Promise<number | undefined> => {
    const { data } = await world.viewers[viewer].run(query);
    return Object.values(data as Record<string, { statistics: { conversationNumber: number } | null }>)[0]?.statistics
      ?.conversationNumber;
  };
  const ofSkill = `{ skill(id: ${world.skill}) { statistics { conversationNumber } } }`;
  const sumOf = (...names: readonly string[]) =>
    others.reduce((sum, target, index) => sum + (names.includes(target) ? 2 ** index : 0), 0);
  // By group, not by person: the conversations of managers and admins in the groups count too.
  assert.equal(await countFor('manager', ofSkill), sumOf('own', 'under', 'manager', 'admin') + 64);
  assert.equal(await countFor('managerOfAll', ofSkill), sumOf(...others) + 64);
  assert.equal(await countFor('admin', ofSkill), sumOf(...others) + 64);
  assert.equal(await countFor('operator', ofSkill), undefined);
  assert.equal(await countFor('expert', ofSkill), undefined);

  assert.equal(await countFor('operator', '{ viewer { statistics { conversationNumber } } }'), 64);
  const ofOperator = `{ operator(id: ${world.viewers.operator.id}) { statistics { conversationNumber } } }`;
  assert.equal(await countFor('manager', ofOperator), 64);
  assert.equal(await countFor('expert', ofOperator), undefined);
});
