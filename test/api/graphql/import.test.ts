import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type GraphqlClient, graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import { createOperator, createOtherAccount, createResource } from '../../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchboard-import-'));
const PASSWORD = 'a phrase that is hard to guess';
const IMPORT = `mutation ($input: OperatorsImportInput!) {
  operatorsImport(input: $input) {
    report { applied rows { row externalId outcome operatorId userErrors { field message code } } }
    userErrors { field message code }
  }
}`;

let switchboard: Switchboard;
let rest: RestClient;
let admin: GraphqlClient;
let group: number;
let subgroup: number;
let otherGroup: number;
let skill: number;
let website: number;

before(async () => {
  switchboard = await startSwitchboard({ folder });
  rest = restClient(switchboard.url, switchboard.key);
  admin = graphqlClient(switchboard.url, await logIn(switchboard.url));
  group = await createResource(rest, 'group', { name: 'Support' });
  subgroup = await createResource(rest, 'group', { name: 'Night', parent_id: group });
  otherGroup = await createResource(rest, 'group', { name: 'Sales' });
  skill = await createResource(rest, 'skill', { name: 'Billing' });
  website = await createResource(rest, 'website', { label: 'Shop', url: 'https://shop.example.com' });
});
after(async () => {
  const doctor = await switchboard.runCommand(['doctor']);
  await switchboard.stop();
  rmSync(folder, { recursive: true, force: true });
  assert.equal(doctor.code, 0, doctor.stdout);
});

type Row = Record<string, unknown>;
interface Options {
  dryRun?: boolean;
  allOrNothing?: boolean;
}

async function sendImport(rows: readonly Row[], options: Options = {}, client = admin, headers = {}) {
  const { data, errors } = await client.run(IMPORT, { input: { rows, ...options } }, headers);
  assert.deepEqual(errors, []);
  return data.operatorsImport;
}

/** Runs an import without top-level user errors, and returns its report. */
async function importRows(rows: readonly Row[], options: Options = {}, client = admin, headers = {}) {
  const payload = await sendImport(rows, options, client, headers);
  assert.deepEqual(payload.userErrors, []);
  return payload.report;
}

// biome-ignore lint/suspicious/noExplicitAny: rows of a report
const outcomesOf = (answer: any): string[] => answer.rows.map((row: { outcome: string }) => row.outcome);
// biome-ignore lint/suspicious/noExplicitAny: rows of a report
const errorsOf = (answer: any, row: number) => answer.rows[row - 1].userErrors;
const findOperator = async (externalId: string) =>
  (await rest.get(`/operator?full=1&filters[external_id]=${externalId}`)).body.data[0];
const toRow = (externalId: string, fields: Row = {}): Row => ({
  externalId,
  name: `Name of ${externalId}`,
  email: `${externalId}@example.org`,
  ...fields,
});

/** Everything that an import without changes must leave as it is: operators, events, used identifiers. */
async function snapshotTables(): Promise<string[][]> {
  const tables = ['operators', 'logins', 'operator_live', 'events', 'counters', 'accounts', 'groups', 'skills'];
  const rows = tables.map((table) => switchboard.storedData.query(`select * from ${table}`));
  return (await Promise.all(rows)).map((each) => each.map((row) => JSON.stringify(row)).sort());
}

test('operators are created, updated, or left unchanged when nothing differs', async () => {
  const relations = { groupId: String(group), skillIds: [String(skill)], websiteIds: [String(website)] };
  const rows = [toRow('ann', relations), toRow('ben', { roles: ['EXPERT'], callConfig: { phoneNumber: null } })];
  const first = await importRows(rows);
  assert.deepEqual([first.applied, ...outcomesOf(first)], [true, 'CREATED', 'CREATED']);
  const ann = await findOperator('ann');
  assert.deepEqual([ann.group_id, ann.skill_list, ann.website_list], [group, [skill], [website]]);
  assert.equal(String(ann.id), first.rows[0].operatorId);
  assert.deepEqual(outcomesOf(await importRows(rows)), ['UNCHANGED', 'UNCHANGED']);
  const second = await importRows([{ externalId: 'ann', skillIds: [] }, rows[1] as Row, toRow('cem')]);
  assert.deepEqual(outcomesOf(second), ['UPDATED', 'UNCHANGED', 'CREATED']);
  assert.deepEqual((await findOperator('ann')).skill_list, []);
  assert.equal((await findOperator('ann')).name, 'Name of ann', 'fields that a row omits stay');
  assert.equal((await rest.get(`/operator?filters[skill_id]=${skill}`)).body.pagination.count, 0);
});

test('each changed row is one event, and an unchanged row is none', async () => {
  const events = () => switchboard.storedData.query('select type, actor_type, changes from events order by position');
  await importRows([toRow('eve'), toRow('eva')]);
  const earlier = (await events()).length;
  await importRows([toRow('eve'), toRow('eva', { pseudo: 'E.' }), toRow('evi')]);
  const added = (await events()).slice(earlier);
  assert.deepEqual(
    added.map(({ type, actor_type: actor }) => [type, actor]),
    [
      ['operator.updated', 'operator'],
      ['operator.created', 'operator'],
    ],
  );
  assert.deepEqual(JSON.parse(String(added[0]?.changes)).fields, ['pseudo']);
});

test('a dry run reports every outcome and stores nothing, not even a used identifier', async () => {
  const earlier = await snapshotTables();
  const rows = [toRow('ann', { name: 'Other' }), toRow('dry', { password: PASSWORD }), toRow('bad', { email: 'x' })];
  const dryRun = await importRows(rows, { dryRun: true });
  assert.deepEqual([dryRun.applied, ...outcomesOf(dryRun)], [false, 'UPDATED', 'CREATED', 'FAILED']);
  assert.equal(dryRun.rows[1].operatorId, null);
  assert.deepEqual(await snapshotTables(), earlier);
});

test('allOrNothing: one invalid row prevents all changes; without it the valid rows are applied', async () => {
  const rows = [toRow('one'), toRow('two', { email: 'none', chatMaxNumber: 99 }), toRow('ann', { pseudo: 'A.' })];
  const earlier = await snapshotTables();
  const rejected = await importRows(rows);
  assert.deepEqual([rejected.applied, ...outcomesOf(rejected)], [false, 'CREATED', 'FAILED', 'UPDATED']);
  assert.equal(rejected.rows[0].operatorId, null, 'no operator was created');
  assert.deepEqual(
    errorsOf(rejected, 2).map((error: { field: string[] }) => error.field),
    [
      ['input', 'rows', '1', 'email'],
      ['input', 'rows', '1', 'chatMaxNumber'],
    ],
  );
  assert.deepEqual(await snapshotTables(), earlier);
  const partial = await importRows(rows, { allOrNothing: false });
  assert.deepEqual([partial.applied, ...outcomesOf(partial)], [true, 'CREATED', 'FAILED', 'UPDATED']);
  assert.equal((await findOperator('one')).name, 'Name of one');
  assert.equal(await findOperator('two'), undefined);
  assert.equal(
    (await importRows([{ externalId: 'two' }], { allOrNothing: false })).applied,
    false,
    'no valid row at all',
  );
});

test('each error fails its own row and names the field', async () => {
  const otherAccount = await createOtherAccount(switchboard);
  await createOperator(otherAccount, { email: 'theirs@example.org', external_id: 'theirs' });
  const cases: [Row, string[] | null, string, RegExp][] = [
    [{ name: 'Unnamed', email: 'n@example.org' }, ['externalId'], 'MISSING', /identifies the operator/],
    [{ ...toRow('x'), externalId: '' }, ['externalId'], 'MISSING', /identifies the operator/],
    [toRow('twice'), null, '', /./],
    [toRow('twice', { email: 'second@example.org' }), ['externalId'], 'INVALID', /row 3 has the same/],
    [toRow('same', { email: 'TWICE@example.org' }), ['email'], 'CONFLICT', /already used/],
    [toRow('abroad', { email: 'theirs@example.org' }), ['email'], 'CONFLICT', /already used/],
    [toRow('theirs', { email: 'ours@example.org' }), null, '', /./],
    [toRow('lost', { groupId: '999' }), ['groupId'], 'INVALID', /must name a group/],
    [toRow('odd', { groupId: 'abc' }), ['groupId'], 'INVALID', /identifier/],
    [toRow('w', { websiteIds: ['1', '-1'] }), ['websiteIds', '1'], 'INVALID', /identifier/],
    [toRow('s', { skillIds: ['999'] }), ['skillIds'], 'INVALID', /skills/],
    [{ externalId: 'unnamed' }, ['name'], 'MISSING', /name/],
    [toRow('common', { password: 'qwertyuiop' }), ['password'], 'INVALID', /common password/],
    [toRow('short', { password: 'short' }), ['password'], 'INVALID', /at least 10/],
    [toRow('phone', { callConfig: { phoneNumber: '12' } }), ['callConfig', 'phoneNumber'], 'INVALID', /phone number/],
    [toRow('nul', { name: 'a\0b' }), ['name'], 'INVALID', /NUL/],
  ];
  const answer = await importRows(
    cases.map(([row]) => row),
    { allOrNothing: false },
  );
  for (const [index, [row, field, code, message]] of cases.entries()) {
    const [error] = errorsOf(answer, index + 1);
    const name = JSON.stringify(row);
    assert.equal(answer.rows[index].outcome, field ? 'FAILED' : 'CREATED', name);
    if (!field) continue;
    assert.deepEqual(error.field, ['input', 'rows', String(index), ...field], name);
    assert.equal(error.code, code, name);
    assert.match(error.message, message, name);
  }
});

test('an imported password replaces the previous one, and is stored only as a hash', async () => {
  const row = toRow('secret', { password: PASSWORD });
  await importRows([row]);
  const token = await logIn(switchboard.url, { email: 'secret@example.org', password: PASSWORD });
  assert.ok(token);
  assert.deepEqual(outcomesOf(await importRows([{ externalId: 'secret', password: `${PASSWORD}, again` }])), [
    'UPDATED',
  ]);
  await assert.rejects(logIn(switchboard.url, { email: 'secret@example.org', password: PASSWORD }));
  const { query } = switchboard.storedData;
  const [stored] = await query("select password_hash from logins where email_folded = 'secret@example.org'");
  assert.match(String(stored?.password_hash), /^\$argon2id\$/);
  assert.ok(!JSON.stringify(await query('select * from events')).includes(PASSWORD));
});

test('a manager imports operators within their groups and below their role; operators import none', async () => {
  await importRows([
    toRow('boss', { roles: ['MANAGER'], groupId: String(group), password: PASSWORD }),
    toRow('plain', { groupId: String(group), password: PASSWORD }),
    toRow('seller', { groupId: String(otherGroup) }),
  ]);
  const logInAs = async (name: string) =>
    graphqlClient(switchboard.url, await logIn(switchboard.url, { email: `${name}@example.org`, password: PASSWORD }));
  const manager = await logInAs('boss');
  const rows = [
    toRow('night', { groupId: String(subgroup) }),
    toRow('plain', { pseudo: 'P.' }),
    toRow('free'),
    toRow('raised', { groupId: String(group), roles: ['MANAGER'] }),
    toRow('seller', { pseudo: 'S.' }),
    { externalId: 'plain2', name: 'P', email: 'p2@example.org', groupId: String(otherGroup) },
    { externalId: 'boss', roles: ['ADMIN'] },
  ];
  const answer = await importRows(rows, { allOrNothing: false }, manager);
  assert.deepEqual(outcomesOf(answer), ['CREATED', 'UPDATED', 'FAILED', 'FAILED', 'FAILED', 'FAILED', 'FAILED']);
  assert.match(errorsOf(answer, 3)[0].message, /You are not allowed/);
  const rejected = await (await logInAs('plain')).run(IMPORT, { input: { rows: [toRow('z')] } });
  assert.deepEqual(
    rejected.errors.map((error) => error.extensions.code),
    ['FORBIDDEN'],
  );
});

test('the last admin stays, even when rows demote admins one after the other', async () => {
  await rest.put('/operator/1', { external_id: 'root' });
  await importRows([toRow('adm', { roles: ['ADMIN'] })]);
  const rows = [
    { externalId: 'adm', roles: ['OPERATOR'] },
    { externalId: 'root', roles: ['OPERATOR'] },
  ];
  const answer = await importRows(rows, { allOrNothing: false });
  assert.deepEqual(outcomesOf(answer), ['UPDATED', 'FAILED']);
  assert.match(errorsOf(answer, 2)[0].message, /last admin/);
});

test('1000 rows are accepted, 1001 are not', async () => {
  const rows = Array.from({ length: 1001 }, (_, index) => toRow(`many${index}`));
  const { report: noReport, userErrors } = await sendImport(rows);
  assert.equal(noReport, null);
  assert.deepEqual(userErrors[0].field, ['input', 'rows']);
  assert.match(userErrors[0].message, /1000/);
  assert.deepEqual(new Set(outcomesOf(await importRows(rows.slice(1)))), new Set(['CREATED']));
  assert.deepEqual(await importRows([]), { applied: false, rows: [] });
});

test('with an Idempotency-Key an import runs once, and a failed one stays failed', async () => {
  const keyed = (key: string) => ({ 'Idempotency-Key': key });
  const first = await importRows([toRow('once')], {}, admin, keyed('import-1'));
  await rest.delete(`/operator/${first.rows[0].operatorId}`);
  assert.deepEqual(await importRows([toRow('once')], {}, admin, keyed('import-1')), first);
  assert.equal(await findOperator('once'), undefined, 'the import does not run again');
  const rows = [toRow('later'), { externalId: 'nameless' }];
  const partial = await importRows(rows, { allOrNothing: false }, admin, keyed('import-2'));
  assert.deepEqual(await importRows(rows, { allOrNothing: false }, admin, keyed('import-2')), partial);
  const conflicting = toRow('grown', { email: 'later@example.org' });
  const failed = await importRows([conflicting], {}, admin, keyed('import-3'));
  assert.equal(failed.applied, false);
  await rest.delete(`/operator/${partial.rows[0].operatorId}`);
  assert.deepEqual(
    await importRows([conflicting], {}, admin, keyed('import-3')),
    failed,
    'although it would succeed now',
  );
  const both = await Promise.all([1, 2].map(() => importRows([toRow('race')], {}, admin, keyed('import-4'))));
  assert.deepEqual(both[0], both[1]);
});

test('an import whose response cannot be stored is rolled back: both are one transaction', async () => {
  const rows = [toRow('lost'), { externalId: 'nameless' }];
  const unblock = await switchboard.storedData.blockInserts('idempotency_keys');
  for (const [index, allOrNothing] of [true, false].entries()) {
    const headers = { 'Idempotency-Key': `import-lost-${index}` };
    const input = { rows: allOrNothing ? rows.slice(0, 1) : rows, allOrNothing };
    const { errors } = await admin.run(IMPORT, { input }, headers);
    assert.equal(errors[0]?.extensions.code, 'INTERNAL');
    assert.equal(await findOperator('lost'), undefined);
  }
  await unblock();
});
