import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Client, createClient } from 'graphql-ws';
import { patiently, until } from '../../support/waiting/until.ts';
import { openWorld, type Person, type World } from './permission-people.ts';
import { TARGETS, type Viewer } from './permission-table.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.stop());

const RIGHTS_CHANGED = 4411;
const TOKEN_ENDED = 4401;

/** An open connection of somebody, with the code that it is closed with. */
async function connected(person: Person): Promise<{ socket: Client; closed: Promise<number> }> {
  let tellCode: (code: number) => void;
  const closed = new Promise<number>((resolve) => {
    tellCode = resolve;
  });
  const socket = createClient({
    url: `${world.switchboard.url.replace('http', 'ws')}/graphql`,
    connectionParams: { token: person.token },
    lazy: false,
    retryAttempts: 0,
    onNonLazyError: () => {},
    on: { closed: (event) => tellCode((event as CloseEvent).code) },
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

test('an open connection gives no more than its operator may do now', async () => {
  const admin = await world.newViewer('admin');
  const { socket, closed } = await connected(admin);
  assert.equal(await codeOf(socket, CREATE_KEY), undefined);
  await world.rest.put(`/operator/${admin.id}`, { roles: ['operator'] });
  await until('it is refused', async () => (await codeOf(socket, CREATE_KEY).catch(() => 'CLOSED')) !== undefined);
  const code = await patiently('the connection is closed', closed);
  await socket.dispose();
  assert.equal(code, RIGHTS_CHANGED);
});

for (const [what, viewer, change, code] of [
  ['a demotion', 'admin', (id: string) => world.rest.put(`/operator/${id}`, { roles: ['expert'] }), RIGHTS_CHANGED],
  ['another group', 'manager', (id: string) => moved(id), RIGHTS_CHANGED],
  ['a delete', 'operator', (id: string) => world.rest.delete(`/operator/${id}`), TOKEN_ENDED],
] as const) {
  test(`${what} ends the subscriptions that were made before it`, async () => {
    const person = await world.newViewer(viewer);
    const { socket, closed } = await connected(person);
    const stream = socket.iterate({ query: 'subscription { operatorLive { id email } }' });
    const next = stream.next().then(
      () => 'a message',
      () => 'closed',
    );
    await change(person.id);
    const closedWith = await patiently('the connection is closed', closed);
    await socket.dispose();
    assert.equal(closedWith, code);
    await next;
  });
}

function moved(id: string): Promise<unknown> {
  return world.rest.put(`/operator/${id}`, { group_id: Number(world.groups.other) });
}

test('a change that leaves the rights alone leaves the connection alone', async () => {
  const person = await world.newViewer('manager');
  const demoted = await world.newViewer('manager');
  const { socket, closed } = await connected(person);
  const other = await connected(demoted);
  let isOpen = true;
  closed.then(() => {
    isOpen = false;
  });
  await world.rest.put(`/operator/${person.id}`, { name: 'Another', roles: ['manager', 'operator'] });
  await world.rest.put(`/operator/${demoted.id}`, { roles: ['operator'] });
  // Every connection is looked at in turn: after two closed ones both changes were seen on this one too.
  assert.equal(await patiently('the second connection is closed', other.closed), RIGHTS_CHANGED);
  const third = await world.newViewer('manager');
  const last = await connected(third);
  await world.rest.put(`/operator/${third.id}`, { roles: ['operator'] });
  assert.equal(await patiently('the third connection is closed', last.closed), RIGHTS_CHANGED);
  assert.equal(isOpen, true);
  await socket.dispose();
});

/** Conversations come with an engine of their own; until then their rows are written as it will write them. */
async function addConversations(numbers: readonly (readonly [string, number])[]): Promise<void> {
  const insert = `insert into conversations
    (account_id, id, channel, website_id, skill_id, operator_id, language, state, created_at, accepted_at, first_answer_at, closed_at)
    values (1, ?, 'chat', ?, ?, ?, 'en', 'closed', 1, 2, 3, 4)`;
  let id = 0;
  for (const [operatorId, number] of numbers) {
    for (let time = 0; time < number; time += 1) {
      id += 1;
      const parameters = [id, Number(world.website), Number(world.skill), Number(operatorId)];
      await world.switchboard.stored.rows(insert, ...parameters);
    }
  }
}

test('the figures of a skill count what the viewer may see, and those of an operator are their own', async () => {
  const others = TARGETS.filter((target) => target !== 'self');
  // 1, 2, 4, … so that a sum tells who is in it.
  await addConversations([
    ...others.map((target, index) => [world.target('admin', target), 2 ** index] as const),
    [world.viewers.operator.id, 64],
  ]);
  const counted = async (viewer: Viewer, query: string): Promise<number | undefined> => {
    const { data } = await world.viewers[viewer].run(query);
    return Object.values(data as Record<string, { statistics: { conversationNumber: number } | null }>)[0]?.statistics
      ?.conversationNumber;
  };
  const ofSkill = `{ skill(id: ${world.skill}) { statistics { conversationNumber } } }`;
  const of = (...names: readonly string[]) =>
    others.reduce((sum, target, index) => sum + (names.includes(target) ? 2 ** index : 0), 0);
  // Groups, not persons: the conversations of managers and admins who belong to them are counted too.
  assert.equal(await counted('manager', ofSkill), of('own', 'under', 'manager', 'admin') + 64);
  assert.equal(await counted('managerOfAll', ofSkill), of(...others) + 64);
  assert.equal(await counted('admin', ofSkill), of(...others) + 64);
  assert.equal(await counted('operator', ofSkill), undefined);
  assert.equal(await counted('expert', ofSkill), undefined);

  assert.equal(await counted('operator', '{ viewer { statistics { conversationNumber } } }'), 64);
  const ofOperator = `{ operator(id: ${world.viewers.operator.id}) { statistics { conversationNumber } } }`;
  assert.equal(await counted('manager', ofOperator), 64);
  assert.equal(await counted('expert', ofOperator), undefined);
});
