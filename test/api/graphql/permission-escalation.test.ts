import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { GraphqlClient } from '../../support/clients/graphql.ts';
import { graphqlClient, logIn } from '../../support/clients/graphql.ts';
import type { RestClient } from '../../support/clients/rest.ts';
import { createOperator, createOtherAccount } from '../../support/fixtures/resources.ts';
import { waitUntil } from '../../support/waiting/wait.ts';
import { openPermissionFixture, outcomeOf, PASSWORD, type PermissionFixture } from './permission-operators.ts';

let fixture: PermissionFixture;
before(async () => {
  fixture = await openPermissionFixture();
});
after(() => fixture.stop());

const ERRORS = 'userErrors { field message code }';
const UPDATE = `mutation($input: OperatorUpdateInput!) { operatorUpdate(input: $input) { operator { id } ${ERRORS} } }`;
const DELETE = `mutation($input: OperatorDeleteInput!) { operatorDelete(input: $input) { deletedId ${ERRORS} } }`;
const CHANGE_PASSWORD = `mutation($input: OperatorPasswordChangeInput!) { operatorPasswordChange(input: $input) { ${ERRORS} } }`;
const IMPORT = `mutation($input: OperatorsImportInput!) {
  operatorsImport(input: $input) { report { applied rows { outcome userErrors { message code } } } ${ERRORS} }
}`;

async function importRows(client: GraphqlClient, rows: readonly object[], options: object = {}) {
  const response = await client.run(IMPORT, { input: { rows, ...options } });
  assert.deepEqual(response.errors, []);
  const { report } = response.data.operatorsImport;
  return { applied: report.applied, outcomes: report.rows.map((row: { outcome: string }) => row.outcome) };
}

const readOperator = async (id: string, rest: RestClient = fixture.rest) =>
  (await rest.get(`/operator/${id}`)).body.data;

for (const viewer of ['manager', 'managerOfAll'] as const) {
  test(`${viewer} cannot grant a manager or admin role, not even together with allowed roles`, async () => {
    const { run, id: self } = fixture.viewers[viewer];
    const { id, externalId } = await fixture.createTarget('ownGroup');
    for (const roles of [['MANAGER'], ['ADMIN'], ['OPERATOR', 'ADMIN'], ['EXPERT', 'OPERATOR', 'MANAGER']]) {
      for (const targetId of [id, self]) {
        assert.equal(outcomeOf(await run(UPDATE, { input: { id: targetId, roles } })), 'forbidden');
        assert.equal(outcomeOf(await run(UPDATE, { input: { id: targetId, pseudo: 'x', roles } })), 'forbidden');
      }
      for (const row of [
        { externalId, roles },
        { externalId: 'unknown', name: 'N', email: 'n@example.com', groupId: fixture.groups.ownGroup, roles },
      ]) {
        const result = await importRows(fixture.viewers[viewer], [row]);
        assert.deepEqual(result, { applied: false, outcomes: ['FAILED'] });
      }
    }
    assert.deepEqual((await readOperator(id)).roles, ['operator']);
    assert.deepEqual((await readOperator(self)).roles, ['manager']);
  });

  test(`${viewer} cannot import changes to other managers or admins, not even among valid rows`, async () => {
    const superiors = [await fixture.createTarget('manager'), await fixture.createTarget('admin')];
    const subordinate = await fixture.createTarget('ownGroup');
    for (const { id, externalId } of [...superiors, fixture.viewers[viewer]]) {
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
        const strictResult = await importRows(fixture.viewers[viewer], rows);
        assert.deepEqual(strictResult, { applied: false, outcomes: ['UPDATED', 'FAILED'] });
        const partialResult = await importRows(fixture.viewers[viewer], rows, { allOrNothing: false });
        assert.deepEqual(partialResult, { applied: true, outcomes: ['UPDATED', 'FAILED'] });
      }
      assert.deepEqual(await readOperator(id), original);
    }
    await logIn(fixture.switchboard.url, { email: fixture.viewers[viewer].email, password: PASSWORD });
  });
}

test('a manager cannot move operators out of the groups they manage, nor into them', async () => {
  const { manager } = fixture.viewers;
  for (const [target, groupId] of [
    ['ownGroup', fixture.groups.otherGroup],
    ['subgroup', fixture.groups.otherGroup],
    ['ownGroup', null],
    ['otherGroup', fixture.groups.ownGroup],
    ['noGroup', fixture.groups.ownGroup],
    ['manager', fixture.groups.subgroup],
    ['admin', fixture.groups.subgroup],
  ] as const) {
    const { id, externalId } = await fixture.createTarget(target);
    const original = await readOperator(id);
    assert.equal(outcomeOf(await manager.run(UPDATE, { input: { id, groupId } })), 'forbidden', `${target} ${groupId}`);
    assert.deepEqual((await importRows(manager, [{ externalId, groupId }])).outcomes, ['FAILED']);
    assert.deepEqual(await readOperator(id), original);
  }
  const { id } = await fixture.createTarget('ownGroup');
  assert.equal(outcomeOf(await manager.run(UPDATE, { input: { id, groupId: fixture.groups.subgroup } })), 'allowed');
});

test('an operator cannot get the e-mail of an admin, in upper or lower case', async () => {
  const { id } = await fixture.createTarget('ownGroup');
  const admin = await fixture.createTarget('admin');
  for (const email of [admin.email, admin.email.toUpperCase(), ` ${admin.email}`]) {
    const response = await fixture.viewers.manager.run(UPDATE, { input: { id, email } });
    assert.match(response.data.operatorUpdate.userErrors[0].code, /^(CONFLICT|INVALID)$/, email);
  }
});

test('changing your own password requires the current one, for admins too and in every mutation', async () => {
  for (const viewer of ['expert', 'operator', 'manager', 'admin'] as const) {
    const operator = await fixture.createViewer(viewer);
    const newPassword = 'a new long password';
    for (const wrong of [{}, { currentPassword: '' }, { currentPassword: null }, { currentPassword: newPassword }]) {
      for (const id of [{}, { id: operator.id }]) {
        const { data } = await operator.run(CHANGE_PASSWORD, { input: { ...id, newPassword, ...wrong } });
        assert.deepEqual(data.operatorPasswordChange.userErrors[0].field, ['input', 'currentPassword']);
      }
    }
    const update = await operator.run(UPDATE, { input: { id: operator.id, password: newPassword } });
    assert.equal(outcomeOf(update), 'forbidden');
    if (viewer === 'admin') {
      const result = await importRows(operator, [{ externalId: operator.externalId, password: newPassword }]);
      assert.deepEqual(result, { applied: false, outcomes: ['FAILED'] });
    }
    const accepted = await operator.run(CHANGE_PASSWORD, { input: { newPassword, currentPassword: PASSWORD } });
    assert.equal(outcomeOf(accepted), 'allowed');
    // The change revokes earlier tokens.
    await waitUntil('the token is revoked', async () => (await operator.run('{ viewer { id } }')).status === 401);
  }
});

test('a new password that is not accepted is reported by the name of its input field', async () => {
  const operator = await fixture.createViewer('operator');
  for (const newPassword of ['short', 'aaaaaaaaaaaa', operator.email]) {
    const { data } = await operator.run(CHANGE_PASSWORD, { input: { currentPassword: PASSWORD, newPassword } });
    assert.deepEqual(data.operatorPasswordChange.userErrors[0].field, ['input', 'newPassword'], newPassword);
  }
});

test('the current password cannot be guessed faster than at a login', async () => {
  const operator = await fixture.createViewer('operator');
  const guess = async (attempt: number) => {
    const input = { newPassword: 'a new long password', currentPassword: `guess ${attempt}` };
    return (await operator.run(CHANGE_PASSWORD, { input })).errors[0]?.extensions.code;
  };
  // Concurrently, because the limit is per minute, however long the checks take.
  const codes = await Promise.all(Array.from({ length: 12 }, (_, attempt) => guess(attempt)));
  const limited = codes.filter((code) => code === 'RATE_LIMITED');
  assert.equal(limited.length, 3, 'the login was one attempt');
  assert.equal(codes.filter((code) => code === undefined).length, 9);
});

test('the last admin can be neither deleted nor demoted, not even by an import', async () => {
  const rest = await createOtherAccount(fixture.switchboard);
  const login = { email: 'other@example.com', password: 'a long enough password' };
  const admin = graphqlClient(fixture.switchboard.url, await logIn(fixture.switchboard.url, login));
  const runAndReadCode = async (document: string, input: object) => {
    const { data } = await admin.run(document, { input });
    return (Object.values(data)[0] as { userErrors: { code: string }[] }).userErrors[0]?.code;
  };
  assert.equal(await runAndReadCode(UPDATE, { id: '1', externalId: 'the admin' }), undefined);
  assert.equal(await runAndReadCode(DELETE, { id: '1' }), 'CONFLICT');
  for (const roles of [['OPERATOR'], ['MANAGER', 'EXPERT']]) {
    assert.equal(await runAndReadCode(UPDATE, { id: '1', roles }), 'CONFLICT');
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
  const partialResult = await importRows(admin, rows, { allOrNothing: false });
  assert.deepEqual(partialResult, { applied: true, outcomes: ['UPDATED', 'FAILED'] });
  assert.equal(await runAndReadCode(DELETE, { id: '1' }), 'CONFLICT');
});

test('an expert sees the pseudonyms and live states of others, and nothing else', async () => {
  const { run, id: self } = fixture.viewers.expert;
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
  const admin = await fixture.createViewer('admin');
  const manager = await fixture.createViewer('manager');
  const deleted = await fixture.createViewer('manager');
  const runAndReadCode = async (client: GraphqlClient, query: string) =>
    (await client.run(query)).errors[0]?.extensions.code;
  const details = `{ operator(id: ${fixture.target('manager', 'ownGroup')}) { email } }`;
  assert.equal(await runAndReadCode(admin, '{ apiKeys { id } }'), undefined);
  assert.equal(await runAndReadCode(manager, details), undefined);
  assert.equal(await runAndReadCode(deleted, details), undefined);

  await fixture.rest.put(`/operator/${admin.id}`, { roles: ['operator'] });
  await fixture.rest.put(`/operator/${manager.id}`, { group_id: Number(fixture.groups.otherGroup) });
  await fixture.rest.delete(`/operator/${deleted.id}`);
  await waitUntil(
    'API keys are forbidden',
    async () => (await runAndReadCode(admin, '{ apiKeys { id } }')) === 'FORBIDDEN',
  );
  await waitUntil(
    'operator details are forbidden',
    async () => (await runAndReadCode(manager, details)) === 'FORBIDDEN',
  );
  await waitUntil('the token is rejected', async () => (await runAndReadCode(deleted, details)) === 'UNAUTHENTICATED');
});
