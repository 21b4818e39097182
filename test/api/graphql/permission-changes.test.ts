import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Client, createClient } from 'graphql-ws';
import { waitUntil, withTimeout } from '../../support/waiting/wait.ts';
import { openPermissionFixture, type PermissionFixture, type TestOperator } from './permission-operators.ts';
import { TARGETS, type Viewer } from './permission-table.ts';

let fixture: PermissionFixture;
before(async () => {
  fixture = await openPermissionFixture();
});
after(() => fixture.stop());

const PERMISSIONS_CHANGED = 4411;
const TOKEN_REVOKED = 4401;

/** Opens a connection; `closed` resolves with its close code. */
async function openConnection(operator: TestOperator): Promise<{ socket: Client; closed: Promise<number> }> {
  let resolveCode: (code: number) => void;
  const closed = new Promise<number>((resolve) => {
    resolveCode = resolve;
  });
  const socket = createClient({
    url: `${fixture.switchboard.url.replace('http', 'ws')}/graphql`,
    connectionParams: { token: operator.token },
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

async function runAndReadCode(socket: Client, query: string): Promise<unknown> {
  const { value } = await socket.iterate({ query }).next();
  return value?.errors?.[0]?.extensions?.code;
}

test('an open connection has only the current permissions of its operator', async () => {
  const admin = await fixture.createViewer('admin');
  const { socket, closed } = await openConnection(admin);
  assert.equal(await runAndReadCode(socket, CREATE_KEY), undefined);
  await fixture.rest.put(`/operator/${admin.id}`, { roles: ['operator'] });
  await waitUntil(
    'the mutation is rejected',
    async () => (await runAndReadCode(socket, CREATE_KEY).catch(() => 'CLOSED')) !== undefined,
  );
  const code = await withTimeout('the connection is closed', closed);
  await socket.dispose();
  assert.equal(code, PERMISSIONS_CHANGED);
});

for (const [cause, viewer, change, code] of [
  [
    'a demotion',
    'admin',
    (id: string) => fixture.rest.put(`/operator/${id}`, { roles: ['expert'] }),
    PERMISSIONS_CHANGED,
  ],
  ['a move to another group', 'manager', (id: string) => moveToOtherGroup(id), PERMISSIONS_CHANGED],
  ['a deletion', 'operator', (id: string) => fixture.rest.delete(`/operator/${id}`), TOKEN_REVOKED],
] as const) {
  test(`${cause} ends existing subscriptions`, async () => {
    const operator = await fixture.createViewer(viewer);
    const { socket, closed } = await openConnection(operator);
    const stream = socket.iterate({ query: 'subscription { operatorLive { id email } }' });
    const nextResult = stream.next().then(
      () => 'a message',
      () => 'closed',
    );
    await change(operator.id);
    const closeCode = await withTimeout('the connection is closed', closed);
    await socket.dispose();
    assert.equal(closeCode, code);
    await nextResult;
  });
}

function moveToOtherGroup(id: string): Promise<unknown> {
  return fixture.rest.put(`/operator/${id}`, { group_id: Number(fixture.groups.otherGroup) });
}

test('a change that keeps the permissions keeps the connection open', async () => {
  const unchanged = await fixture.createViewer('manager');
  const demoted = await fixture.createViewer('manager');
  const { socket, closed } = await openConnection(unchanged);
  const other = await openConnection(demoted);
  let isOpen = true;
  closed.then(() => {
    isOpen = false;
  });
  await fixture.rest.put(`/operator/${unchanged.id}`, { name: 'Another', roles: ['manager', 'operator'] });
  await fixture.rest.put(`/operator/${demoted.id}`, { roles: ['operator'] });
  // Connections are checked in turn: once the two others are closed, this one was checked for both changes.
  assert.equal(await withTimeout('the second connection is closed', other.closed), PERMISSIONS_CHANGED);
  const third = await fixture.createViewer('manager');
  const last = await openConnection(third);
  await fixture.rest.put(`/operator/${third.id}`, { roles: ['operator'] });
  assert.equal(await withTimeout('the third connection is closed', last.closed), PERMISSIONS_CHANGED);
  assert.equal(isOpen, true);
  await socket.dispose();
});

/** Inserts closed conversations directly: `count` for each operator. */
async function addConversations(counts: readonly (readonly [string, number])[]): Promise<void> {
  const insert = `insert into conversations
    (account_id, id, channel, website_id, skill_id, operator_id, language, state, created_at, accepted_at, first_answer_at, closed_at)
    values (1, ?, 'chat', ?, ?, ?, 'en', 'closed', 1, 2, 3, 4)`;
  let id = 0;
  for (const [operatorId, count] of counts) {
    for (let n = 0; n < count; n += 1) {
      id += 1;
      const parameters = [id, Number(fixture.website), Number(fixture.skill), Number(operatorId)];
      await fixture.switchboard.storedData.query(insert, ...parameters);
    }
  }
}

test('statistics of a skill include only what the viewer may see, those of an operator only their conversations', async () => {
  const others = TARGETS.filter((target) => target !== 'self');
  // 1, 2, 4, … so that a sum shows which operators are in it.
  await addConversations([
    ...others.map((target, index) => [fixture.target('admin', target), 2 ** index] as const),
    [fixture.viewers.operator.id, 64],
  ]);
  const countFor = async (viewer: Viewer, query: string): Promise<number | undefined> => {
    const { data } = await fixture.viewers[viewer].run(query);
    return Object.values(data as Record<string, { statistics: { conversationNumber: number } | null }>)[0]?.statistics
      ?.conversationNumber;
  };
  const skillQuery = `{ skill(id: ${fixture.skill}) { statistics { conversationNumber } } }`;
  const sumOf = (...names: readonly string[]) =>
    others.reduce((sum, target, index) => sum + (names.includes(target) ? 2 ** index : 0), 0);
  // Counted by group: the conversations of managers and admins in the groups count too.
  assert.equal(await countFor('manager', skillQuery), sumOf('ownGroup', 'subgroup', 'manager', 'admin') + 64);
  assert.equal(await countFor('managerOfAll', skillQuery), sumOf(...others) + 64);
  assert.equal(await countFor('admin', skillQuery), sumOf(...others) + 64);
  assert.equal(await countFor('operator', skillQuery), undefined);
  assert.equal(await countFor('expert', skillQuery), undefined);

  assert.equal(await countFor('operator', '{ viewer { statistics { conversationNumber } } }'), 64);
  const operatorQuery = `{ operator(id: ${fixture.viewers.operator.id}) { statistics { conversationNumber } } }`;
  assert.equal(await countFor('manager', operatorQuery), 64);
  assert.equal(await countFor('expert', operatorQuery), undefined);
});
