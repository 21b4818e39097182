import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { GraphqlClient } from '../../support/clients/graphql.ts';
import { graphqlClient, logIn } from '../../support/clients/graphql.ts';
import type { RestClient } from '../../support/clients/rest.ts';
import { createOperator, createOtherAccount } from '../../support/fixtures/resources.ts';
import { waitUntil } from '../../support/waiting/wait.ts';
import { openWorld, outcomeOf, PASSWORD, type World } from './permission-people.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.stop());

const ERRORS = 'userErrors { field message code }';
const UPDATE = `mutation($input: OperatorUpdateInput!) { operatorUpdate(input: $input) { operator { id } ${ERRORS} } }`;
const DELETE = `mutation($input: OperatorDeleteInput!) { operatorDelete(input: $input) { deletedId ${ERRORS} } }`;
const CHANGE = `mutation($input: OperatorPasswordChangeInput!) { operatorPasswordChange(input: $input) { ${ERRORS} } }`;
const IMPORT = `mutation($input: OperatorsImportInput!) {
  operatorsImport(input: $input) { report { applied rows { outcome userErrors { message code } } } ${ERRORS} }
}`;

async function importRows(client: GraphqlClient, rows: readonly object[], options: object = {}) {
  const answer = await client.run(IMPORT, { input: { rows, ...options } });
  assert.deepEqual(answer.errors, []);
  const { report } = answer.data.operatorsImport;
  return { applied: report.applied, outcomes: report.rows.map((row: { outcome: string }) => row.outcome) };
}

const readOperator = async (id: string, rest: RestClient = world.rest) => (await rest.get(`/operator/${id}`)).body.data;

for (const viewer of ['manager', 'managerOfAll'] as const) {
  test(`${viewer} cannot raise roles, not even among other roles`, async () => {
    const { run, id: self } = world.viewers[viewer];
    const { id, externalId } = await world.createTarget('own');
    for (const roles of [['MANAGER'], ['ADMIN'], ['OPERATOR', 'ADMIN'], ['EXPERT', 'OPERATOR', 'MANAGER']]) {
      for (const targetId of [id, self]) {
        assert.equal(outcomeOf(await run(UPDATE, { input: { id: targetId, roles } })), 'forbidden');
        assert.equal(outcomeOf(await run(UPDATE, { input: { id: targetId, pseudo: 'x', roles } })), 'forbidden');
      }
      for (const row of [
        { externalId, roles },
        { externalId: 'unknown', name: 'N', email: 'n@example.com', groupId: world.groups.own, roles },
      ]) {
        const result = await importRows(world.viewers[viewer], [row]);
        assert.deepEqual(result, { applied: false, outcomes: ['FAILED'] });
      }
    }
    assert.deepEqual((await readOperator(id)).roles, ['operator']);
    assert.deepEqual((await readOperator(self)).roles, ['manager']);
  });

  test(`${viewer} cannot import changes of peers or admins, not even among valid rows`, async () => {
    const above = [await world.createTarget('manager'), await world.createTarget('admin')];
    const subordinate = await world.createTarget('own');
    for (const { id, externalId } of [...above, world.viewers[viewer]]) {
      const original = await readOperator(id);
      for (const change of [
        { email: `taken${id}@example.com` },
        { password: 'another long password' },
        { name: 'X' },
      ]) {
        const rows = [
          { externalId: subordinate.externalId, name: `G${Math.random()}` },
          { externalId, ...change },
        ];
        const all = await importRows(world.viewers[viewer], rows);
        assert.deepEqual(all, { applied: false, outcomes: ['UPDATED', 'FAILED'] });
        const some = await importRows(world.viewers[viewer], rows, { allOrNothing: false });
        assert.deepEqual(some, { applied: true, outcomes: ['UPDATED', 'FAILED'] });
      }
      assert.deepEqual(await readOperator(id), original);
    }
    await logIn(world.switchboard.url, { email: world.viewers[viewer].email, password: PASSWORD });
  });
}

test('a manager cannot move operators out of their groups, nor into them', async () => {
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
    const { id, externalId } = await world.createTarget(target);
    const original = await readOperator(id);
    assert.equal(outcomeOf(await manager.run(UPDATE, { input: { id, groupId } })), 'forbidden', `${target} ${groupId}`);
    assert.deepEqual((await importRows(manager, [{ externalId, groupId }])).outcomes, ['FAILED']);
    assert.deepEqual(await readOperator(id), original);
  }
  const { id } = await world.createTarget('own');
  assert.equal(outcomeOf(await manager.run(UPDATE, { input: { id, groupId: world.groups.under } })), 'allowed');
});

test('the e-mail of an admin cannot be given to an operator, in any case', async () => {
  const { id } = await world.createTarget('own');
  const above = await world.createTarget('admin');
  for (const email of [above.email, above.email.toUpperCase(), ` ${above.email}`]) {
    const answer = await world.viewers.manager.run(UPDATE, { input: { id, email } });
    assert.match(answer.data.operatorUpdate.userErrors[0].code, /^(CONFLICT|INVALID)$/, email);
  }
});

test('changing your own password requires the current one, for admins too and by every mutation', async () => {
  for (const viewer of ['expert', 'operator', 'manager', 'admin'] as const) {
    const person = await world.createViewer(viewer);
    const newPassword = 'a new long password';
    for (const wrong of [{}, { currentPassword: '' }, { currentPassword: null }, { currentPassword: newPassword }]) {
      for (const id of [{}, { id: person.id }]) {
        const { data } = await person.run(CHANGE, { input: { ...id, newPassword, ...wrong } });
        assert.deepEqual(data.operatorPasswordChange.userErrors[0].field, ['input', 'currentPassword']);
      }
    }
    const update = await person.run(UPDATE, { input: { id: person.id, password: newPassword } });
    assert.equal(outcomeOf(update), 'forbidden');
    if (viewer === 'admin') {
      const result = await importRows(person, [{ externalId: person.externalId, password: newPassword }]);
      assert.deepEqual(result, { applied: false, outcomes: ['FAILED'] });
    }
    const accepted = await person.run(CHANGE, { input: { newPassword, currentPassword: PASSWORD } });
    assert.equal(outcomeOf(accepted), 'allowed');
    // The change revokes earlier tokens.
    await waitUntil('the token is revoked', async () => (await person.run('{ viewer { id } }')).status === 401);
  }
});

test('the current password cannot be guessed faster than at a login', async () => {
  const person = await world.createViewer('operator');
  const guess = async (attempt: number) => {
    const input = { newPassword: 'a new long password', currentPassword: `guess ${attempt}` };
    return (await person.run(CHANGE, { input })).errors[0]?.extensions.code;
  };
  // Concurrently, because the limit is per minute, however long the checks take.
  const codes = await Promise.all(Array.from({ length: 12 }, (_, attempt) => guess(attempt)));
  const limited = codes.filter((code) => code === 'RATE_LIMITED');
  assert.equal(limited.length, 3, 'the login was one attempt');
  assert.equal(codes.filter((code) => code === undefined).length, 9);
});

test('the last admin can be neither deleted nor demoted, not even by an import', async () => {
  const rest = await createOtherAccount(world.switchboard);
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
  assert.deepEqual((await readOperator('1', rest)).roles, ['admin']);

  // Of two admins, one always stays.
  await createOperator(rest, { roles: ['admin'], external_id: 'second' });
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

test('a lost permission takes effect soon, even while the operator keeps sending requests', async () => {
  const admin = await world.createViewer('admin');
  const manager = await world.createViewer('manager');
  const deleted = await world.createViewer('manager');
  const code = async (person: GraphqlClient, query: string) => (await person.run(query)).errors[0]?.extensions.code;
  const details = `{ operator(id: ${world.target('manager', 'own')}) { email } }`;
  assert.equal(await code(admin, '{ apiKeys { id } }'), undefined);
  assert.equal(await code(manager, details), undefined);
  assert.equal(await code(deleted, details), undefined);

  await world.rest.put(`/operator/${admin.id}`, { roles: ['operator'] });
  await world.rest.put(`/operator/${manager.id}`, { group_id: Number(world.groups.other) });
  await world.rest.delete(`/operator/${deleted.id}`);
  await waitUntil('API keys are forbidden', async () => (await code(admin, '{ apiKeys { id } }')) === 'FORBIDDEN');
  await waitUntil('operator details are forbidden', async () => (await code(manager, details)) === 'FORBIDDEN');
  await waitUntil('the token is rejected', async () => (await code(deleted, details)) === 'UNAUTHENTICATED');
});
