import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { GraphqlClient } from '../../support/clients/graphql.ts';
import { graphqlClient, logIn } from '../../support/clients/graphql.ts';
import type { RestClient } from '../../support/clients/rest.ts';
import { addOperator, otherAccount } from '../../support/people/people.ts';
import { until } from '../../support/waiting/until.ts';
import { openWorld, outcomeOf, PASSWORD, type World } from './permission-people.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.stop());

const ANSWER = 'userErrors { field message code }';
const UPDATE = `mutation($input: OperatorUpdateInput!) { operatorUpdate(input: $input) { operator { id } ${ANSWER} } }`;
const DELETE = `mutation($input: OperatorDeleteInput!) { operatorDelete(input: $input) { deletedId ${ANSWER} } }`;
const CHANGE = `mutation($input: OperatorPasswordChangeInput!) { operatorPasswordChange(input: $input) { ${ANSWER} } }`;
const IMPORT = `mutation($input: OperatorsImportInput!) {
  operatorsImport(input: $input) { report { applied rows { outcome userErrors { message code } } } ${ANSWER} }
}`;

async function importRows(client: GraphqlClient, rows: readonly object[], options: object = {}) {
  const answer = await client.run(IMPORT, { input: { rows, ...options } });
  assert.deepEqual(answer.errors, []);
  const { report } = answer.data.operatorsImport;
  return { applied: report.applied, outcomes: report.rows.map((row: { outcome: string }) => row.outcome) };
}

const present = async (id: string, rest: RestClient = world.rest) => (await rest.get(`/operator/${id}`)).body.data;

for (const viewer of ['manager', 'managerOfAll'] as const) {
  test(`${viewer} raises nobody, not even by a role among others`, async () => {
    const { run, id: self } = world.viewers[viewer];
    const { id, externalId } = await world.newTarget('own');
    for (const roles of [['MANAGER'], ['ADMIN'], ['OPERATOR', 'ADMIN'], ['EXPERT', 'OPERATOR', 'MANAGER']]) {
      for (const who of [id, self]) {
        assert.equal(outcomeOf(await run(UPDATE, { input: { id: who, roles } })), 'forbidden');
        assert.equal(outcomeOf(await run(UPDATE, { input: { id: who, pseudo: 'x', roles } })), 'forbidden');
      }
      for (const row of [
        { externalId, roles },
        { externalId: 'unknown', name: 'N', email: 'n@example.com', groupId: world.groups.own, roles },
      ]) {
        const done = await importRows(world.viewers[viewer], [row]);
        assert.deepEqual(done, { applied: false, outcomes: ['FAILED'] });
      }
    }
    assert.deepEqual((await present(id)).roles, ['operator']);
    assert.deepEqual((await present(self)).roles, ['manager']);
  });

  test(`${viewer} takes over nobody above by import, not even among good rows`, async () => {
    const above = [await world.newTarget('manager'), await world.newTarget('admin')];
    const good = await world.newTarget('own');
    for (const { id, externalId } of [...above, world.viewers[viewer]]) {
      const was = await present(id);
      for (const change of [{ email: `taken${id}@example.com` }, { password: 'a password of others' }, { name: 'X' }]) {
        const rows = [
          { externalId: good.externalId, name: `G${Math.random()}` },
          { externalId, ...change },
        ];
        const all = await importRows(world.viewers[viewer], rows);
        assert.deepEqual(all, { applied: false, outcomes: ['UPDATED', 'FAILED'] });
        const some = await importRows(world.viewers[viewer], rows, { allOrNothing: false });
        assert.deepEqual(some, { applied: true, outcomes: ['UPDATED', 'FAILED'] });
      }
      assert.deepEqual(await present(id), was);
    }
    await logIn(world.switchboard.url, { email: world.viewers[viewer].email, password: PASSWORD });
  });
}

test('a manager moves nobody out of the own groups, nor into them', async () => {
  const { manager } = world.viewers;
  for (const [target, groupId] of [
    ['own', world.groups.other],
    ['under', world.groups.other],
    ['own', null],
    ['other', world.groups.own],
    ['groupless', world.groups.own],
    ['manager', world.groups.under],
    ['admin', world.groups.under],
  ] as const) {
    const { id, externalId } = await world.newTarget(target);
    const was = await present(id);
    assert.equal(outcomeOf(await manager.run(UPDATE, { input: { id, groupId } })), 'forbidden', `${target} ${groupId}`);
    assert.deepEqual((await importRows(manager, [{ externalId, groupId }])).outcomes, ['FAILED']);
    assert.deepEqual(await present(id), was);
  }
  const { id } = await world.newTarget('own');
  assert.equal(outcomeOf(await manager.run(UPDATE, { input: { id, groupId: world.groups.under } })), 'allowed');
});

test('the e-mail of somebody above cannot be given to an operator, in whatever case', async () => {
  const { id } = await world.newTarget('own');
  const above = await world.newTarget('admin');
  for (const email of [above.email, above.email.toUpperCase(), ` ${above.email}`]) {
    const answer = await world.viewers.manager.run(UPDATE, { input: { id, email } });
    assert.match(answer.data.operatorUpdate.userErrors[0].code, /^(CONFLICT|INVALID)$/, email);
  }
});

test('the own password needs the present one, also for admins and by every way', async () => {
  for (const viewer of ['expert', 'operator', 'manager', 'admin'] as const) {
    const person = await world.newViewer(viewer);
    const newPassword = 'a new password of mine';
    for (const wrong of [{}, { currentPassword: '' }, { currentPassword: null }, { currentPassword: newPassword }]) {
      for (const id of [{}, { id: person.id }]) {
        const { data } = await person.run(CHANGE, { input: { ...id, newPassword, ...wrong } });
        assert.deepEqual(data.operatorPasswordChange.userErrors[0].field, ['input', 'currentPassword']);
      }
    }
    const update = await person.run(UPDATE, { input: { id: person.id, password: newPassword } });
    assert.equal(outcomeOf(update), 'forbidden');
    if (viewer === 'admin') {
      const done = await importRows(person, [{ externalId: person.externalId, password: newPassword }]);
      assert.deepEqual(done, { applied: false, outcomes: ['FAILED'] });
    }
    const right = await person.run(CHANGE, { input: { newPassword, currentPassword: PASSWORD } });
    assert.equal(outcomeOf(right), 'allowed');
    // The tokens that the old one gave are over.
    await until('its token has ended', async () => (await person.run('{ viewer { id } }')).status === 401);
  }
});

test('the present password cannot be guessed faster than at a login', async () => {
  const person = await world.newViewer('operator');
  const guess = async (time: number) => {
    const input = { newPassword: 'a new password of mine', currentPassword: `guess ${time}` };
    return (await person.run(CHANGE, { input })).errors[0]?.extensions.code;
  };
  // All at once: the limit is one of a minute, however long it takes to check them.
  const codes = await Promise.all(Array.from({ length: 12 }, (_, time) => guess(time)));
  const limited = codes.filter((code) => code === 'RATE_LIMITED');
  assert.equal(limited.length, 3, 'one try was the login itself');
  assert.equal(codes.filter((code) => code === undefined).length, 9);
});

test('the last admin stays: not deleted, not demoted, not by an import', async () => {
  const rest = await otherAccount(world.switchboard);
  const login = { email: 'other@example.com', password: 'a long enough password' };
  const admin = graphqlClient(world.switchboard.url, await logIn(world.switchboard.url, login));
  const code = async (document: string, input: object) => {
    const { data } = await admin.run(document, { input });
    return (Object.values(data)[0] as { userErrors: { code: string }[] }).userErrors[0]?.code;
  };
  assert.equal(await code(UPDATE, { id: '1', externalId: 'the admin' }), undefined);
  assert.equal(await code(DELETE, { id: '1' }), 'CONFLICT');
  for (const roles of [['OPERATOR'], ['MANAGER', 'EXPERT']]) {
    assert.equal(await code(UPDATE, { id: '1', roles }), 'CONFLICT');
    for (const options of [{ allOrNothing: true }, { allOrNothing: false }]) {
      const { outcomes } = await importRows(admin, [{ externalId: 'the admin', roles }], options);
      assert.deepEqual(outcomes, ['FAILED']);
    }
  }
  assert.deepEqual((await present('1', rest)).roles, ['admin']);

  // Of two, one stays whatever is asked for.
  await addOperator(rest, { roles: ['admin'], external_id: 'second' });
  const roles = ['OPERATOR'];
  const rows = [
    { externalId: 'second', roles },
    { externalId: 'the admin', roles },
  ];
  assert.deepEqual(await importRows(admin, rows), { applied: false, outcomes: ['UPDATED', 'FAILED'] });
  const some = await importRows(admin, rows, { allOrNothing: false });
  assert.deepEqual(some, { applied: true, outcomes: ['UPDATED', 'FAILED'] });
  assert.equal(await code(DELETE, { id: '1' }), 'CONFLICT');
});

test('an expert sees the pseudonyms and live states of others, and nothing else', async () => {
  const { run, id: self } = world.viewers.expert;
  const { data, errors } = await run(`{ operators(first: 100) { nodes {
    id pseudo live { connected chat { routable } } name firstName email roles group { id } profile { city }
  } } }`);
  const others = data.operators.nodes.filter((node: { id: string }) => node.id !== self);
  assert.ok(others.length > 5);
  for (const { id, pseudo, live, ...rest } of others) {
    assert.ok(id && pseudo && live.chat);
    assert.deepEqual(new Set(Object.values(rest)), new Set([null]));
  }
  assert.equal(errors.length, others.length * 6);
});

test('who may no longer do something is refused soon, however often they ask meanwhile', async () => {
  const admin = await world.newViewer('admin');
  const manager = await world.newViewer('manager');
  const gone = await world.newViewer('manager');
  const code = async (person: GraphqlClient, query: string) => (await person.run(query)).errors[0]?.extensions.code;
  const details = `{ operator(id: ${world.target('manager', 'own')}) { email } }`;
  assert.equal(await code(admin, '{ apiKeys { id } }'), undefined);
  assert.equal(await code(manager, details), undefined);
  assert.equal(await code(gone, details), undefined);

  await world.rest.put(`/operator/${admin.id}`, { roles: ['operator'] });
  await world.rest.put(`/operator/${manager.id}`, { group_id: Number(world.groups.other) });
  await world.rest.delete(`/operator/${gone.id}`);
  await until('no keys', async () => (await code(admin, '{ apiKeys { id } }')) === 'FORBIDDEN');
  await until('no details', async () => (await code(manager, details)) === 'FORBIDDEN');
  await until('no entry', async () => (await code(gone, details)) === 'UNAUTHENTICATED');
});
