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
let secondAccount: RestClient;

before(async () => {
  switchboard = await startSwitchboard({ folder });
  rest = restClient(switchboard.url, switchboard.key);
  admin = graphqlClient(switchboard.url, await logIn(switchboard.url));
  group = await createResource(rest, 'group', { name: 'Support' });
  subgroup = await createResource(rest, 'group', { name: 'Night', parent_id: group });
  otherGroup = await createResource(rest, 'group', { name: 'Sales' });
  skill = await createResource(rest, 'skill', { name: 'Billing' });
  website = await createResource(rest, 'website', { label: 'Shop', url: 'https://shop.example.com' });
  secondAccount = await createOtherAccount(switchboard);
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
const listOutcomes = (report: any): string[] => report.rows.map((row: { outcome: string }) => row.outcome);
// biome-ignore lint/suspicious/noExplicitAny: rows of a report
const errorsOf = (report: any, row: number) => report.rows[row - 1].userErrors;
const findOperator = async (externalId: string) =>
  (await rest.get(`/operator?full=1&filters[external_id]=${externalId}`)).body.data[0];
const createRow = (externalId: string, fields: Row = {}): Row => ({
  externalId,
  name: `Name of ${externalId}`,
  email: `${externalId}@example.org`,
  ...fields,
});

/** Everything that an import without changes must leave as it is: operators, events, used identifiers. */
async function snapshotTables(): Promise<string[][]> {
  const tables = ['operators', 'logins', 'operator_live', 'events', 'counters', 'accounts', 'groups', 'skills'];
  const rows = tables.map((table) => switchboard.storedData.query(`select * from ${table}`));
  return (await Promise.all(rows)).map((tableRows) => tableRows.map((row) => JSON.stringify(row)).sort());
}

test('operators are created, updated, or left unchanged when nothing differs', async () => {
  const relations = { groupId: String(group), skillIds: [String(skill)], websiteIds: [String(website)] };
  const rows = [
    createRow('ann', relations),
    createRow('ben', { roles: ['EXPERT'], callConfig: { phoneNumber: null } }),
  ];
  const first = await importRows(rows);
  assert.deepEqual([first.applied, ...listOutcomes(first)], [true, 'CREATED', 'CREATED']);
  const ann = await findOperator('ann');
  assert.deepEqual([ann.group_id, ann.skill_list, ann.website_list], [group, [skill], [website]]);
  assert.equal(String(ann.id), first.rows[0].operatorId);
  assert.deepEqual(listOutcomes(await importRows(rows)), ['UNCHANGED', 'UNCHANGED']);
  const second = await importRows([{ externalId: 'ann', skillIds: [] }, rows[1] as Row, createRow('cem')]);
  assert.deepEqual(listOutcomes(second), ['UPDATED', 'UNCHANGED', 'CREATED']);
  assert.deepEqual((await findOperator('ann')).skill_list, []);
  assert.equal((await findOperator('ann')).name, 'Name of ann', 'fields that a row omits stay');
  assert.equal((await rest.get(`/operator?filters[skill_id]=${skill}`)).body.pagination.count, 0);
});

test('each changed row creates one event, an unchanged row none', async () => {
  const loadEvents = () =>
    switchboard.storedData.query('select type, actor_type, changes from events order by position');
  await importRows([createRow('eve'), createRow('eva')]);
  const countBefore = (await loadEvents()).length;
  await importRows([createRow('eve'), createRow('eva', { pseudo: 'E.' }), createRow('evi')]);
  const added = (await loadEvents()).slice(countBefore);
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
  const before = await snapshotTables();
  const rows = [
    createRow('ann', { name: 'Other' }),
    createRow('dry', { password: PASSWORD }),
    createRow('bad', { email: 'x' }),
  ];
  const dryRun = await importRows(rows, { dryRun: true });
  assert.deepEqual([dryRun.applied, ...listOutcomes(dryRun)], [false, 'UPDATED', 'CREATED', 'FAILED']);
  assert.equal(dryRun.rows[1].operatorId, null);
  assert.deepEqual(await snapshotTables(), before);
});

test('allOrNothing: one invalid row prevents all changes; without it the valid rows are applied', async () => {
  const rows = [
    createRow('one'),
    createRow('two', { email: 'none', chatMaxNumber: 99 }),
    createRow('ann', { pseudo: 'A.' }),
  ];
  const before = await snapshotTables();
  const rejected = await importRows(rows);
  assert.deepEqual([rejected.applied, ...listOutcomes(rejected)], [false, 'CREATED', 'FAILED', 'UPDATED']);
  assert.equal(rejected.rows[0].operatorId, null, 'no operator was created');
  assert.deepEqual(
    errorsOf(rejected, 2).map((error: { field: string[] }) => error.field),
    [
      ['input', 'rows', '1', 'email'],
      ['input', 'rows', '1', 'chatMaxNumber'],
    ],
  );
  assert.deepEqual(await snapshotTables(), before);
  const partial = await importRows(rows, { allOrNothing: false });
  assert.deepEqual([partial.applied, ...listOutcomes(partial)], [true, 'CREATED', 'FAILED', 'UPDATED']);
  assert.equal((await findOperator('one')).name, 'Name of one');
  assert.equal(await findOperator('two'), undefined);
  assert.equal(
    (await importRows([{ externalId: 'two' }], { allOrNothing: false })).applied,
    false,
    'no valid row at all',
  );
});

test('an error fails only its row and names the field', async () => {
  await createOperator(secondAccount, { email: 'theirs@example.org', external_id: 'theirs' });
  const cases: [Row, string[] | null, string, RegExp][] = [
    [{ name: 'Neither external id nor e-mail' }, ['externalId'], 'MISSING', /it or email identifies the operator/],
    [{ name: 'E-mail only', email: 'n\0@example.org' }, ['email'], 'INVALID', /valid e-mail/],
    [createRow('twice'), null, '', /./],
    [createRow('twice', { email: 'second@example.org' }), ['externalId'], 'INVALID', /row 3 has the same/],
    [createRow('same', { email: 'TWICE@example.org' }), ['email'], 'CONFLICT', /already used/],
    [createRow('abroad', { email: 'theirs@example.org' }), ['email'], 'CONFLICT', /already used/],
    [createRow('theirs', { email: 'ours@example.org' }), null, '', /./],
    [createRow('lost', { groupId: '999' }), ['groupId'], 'INVALID', /must name a group/],
    [createRow('odd', { groupId: 'abc' }), ['groupId'], 'INVALID', /identifier/],
    [createRow('w', { websiteIds: ['1', '-1'] }), ['websiteIds', '1'], 'INVALID', /identifier/],
    [createRow('s', { skillIds: ['999'] }), ['skillIds'], 'INVALID', /skills/],
    [{ externalId: 'unnamed' }, ['name'], 'MISSING', /name/],
    [createRow('common', { password: 'qwertyuiop' }), ['password'], 'INVALID', /common password/],
    [createRow('short', { password: 'short' }), ['password'], 'INVALID', /at least 10/],
    [
      createRow('phone', { callConfig: { phoneNumber: '12' } }),
      ['callConfig', 'phoneNumber'],
      'INVALID',
      /phone number/,
    ],
    [createRow('nul', { name: 'a\0b' }), ['name'], 'INVALID', /NUL/],
    [{ ...createRow('x'), externalId: 'a\0b' }, ['externalId'], 'INVALID', /without NUL/],
  ];
  const report = await importRows(
    cases.map(([row]) => row),
    { allOrNothing: false },
  );
  for (const [index, [row, field, code, message]] of cases.entries()) {
    const [error] = errorsOf(report, index + 1);
    const name = JSON.stringify(row);
    assert.equal(report.rows[index].outcome, field ? 'FAILED' : 'CREATED', name);
    if (!field) continue;
    assert.deepEqual(error.field, ['input', 'rows', String(index), ...field], name);
    assert.equal(error.code, code, name);
    assert.match(error.message, message, name);
  }
});

test('a row without an external identifier is matched by its e-mail, only in the same account', async () => {
  await createOperator(rest, { email: 'Mail.Only@example.org', name: 'Before' });
  const otherAccount = await createOperator(secondAccount, { email: 'mail.abroad@example.org', name: 'Theirs' });
  const rows = [
    { email: 'mail.only@EXAMPLE.org', name: 'After' },
    { email: 'mail.new@example.org', name: 'New', externalId: null },
    { email: 'mail.abroad@example.org', name: 'Ours' },
  ];
  const report = await importRows(rows, { allOrNothing: false });
  assert.deepEqual(listOutcomes(report), ['UPDATED', 'CREATED', 'FAILED']);
  assert.equal(errorsOf(report, 3)[0].code, 'CONFLICT');
  assert.deepEqual(listOutcomes(await importRows(rows.slice(0, 2))), ['UNCHANGED', 'UNCHANGED']);
  assert.equal((await secondAccount.get(`/operator/${otherAccount.id}?full=1`)).body.data.name, 'Theirs');

  await rest.put(`/operator/${report.rows[1].operatorId}`, { external_id: 'mail-new' });
  const repeated = await importRows(
    [
      { externalId: 'mail-new', pseudo: 'First' },
      { email: 'mail.new@example.org', externalId: '', pseudo: 'Second' },
      { email: 'mail.only@example.org', pseudo: 'First' },
      { email: 'Mail.Only@example.org', pseudo: 'Second' },
    ],
    { allOrNothing: false },
  );
  assert.deepEqual(listOutcomes(repeated), ['UPDATED', 'FAILED', 'UPDATED', 'FAILED']);
  assert.match(errorsOf(repeated, 2)[0].message, /must not be repeated: row 1 is the same operator/);
  assert.match(errorsOf(repeated, 4)[0].message, /must not be repeated: row 3 has the same/);
  assert.equal(
    (await findOperator('mail-new')).pseudo,
    'First',
    'an empty identifier does not remove the existing one',
  );
});

test('an imported password replaces the previous one, and is stored only as a hash', async () => {
  const row = createRow('secret', { password: PASSWORD });
  await importRows([row]);
  const token = await logIn(switchboard.url, { email: 'secret@example.org', password: PASSWORD });
  assert.ok(token);
  assert.deepEqual(listOutcomes(await importRows([{ externalId: 'secret', password: `${PASSWORD}, again` }])), [
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
    createRow('boss', { roles: ['MANAGER'], groupId: String(group), password: PASSWORD }),
    createRow('plain', { groupId: String(group), password: PASSWORD }),
    createRow('seller', { groupId: String(otherGroup) }),
  ]);
  const logInAs = async (name: string) =>
    graphqlClient(switchboard.url, await logIn(switchboard.url, { email: `${name}@example.org`, password: PASSWORD }));
  const manager = await logInAs('boss');
  const rows = [
    createRow('night', { groupId: String(subgroup) }),
    createRow('plain', { pseudo: 'P.' }),
    createRow('free'),
    createRow('raised', { groupId: String(group), roles: ['MANAGER'] }),
    createRow('seller', { pseudo: 'S.' }),
    { externalId: 'plain2', name: 'P', email: 'p2@example.org', groupId: String(otherGroup) },
    { externalId: 'boss', roles: ['ADMIN'] },
  ];
  const report = await importRows(rows, { allOrNothing: false }, manager);
  assert.deepEqual(listOutcomes(report), ['CREATED', 'UPDATED', 'FAILED', 'FAILED', 'FAILED', 'FAILED', 'FAILED']);
  assert.match(errorsOf(report, 3)[0].message, /You are not allowed/);
  const rejected = await (await logInAs('plain')).run(IMPORT, { input: { rows: [createRow('z')] } });
  assert.deepEqual(
    rejected.errors.map((error) => error.extensions.code),
    ['FORBIDDEN'],
  );
});

test('the last admin stays, even when rows demote admins one after the other', async () => {
  await rest.put('/operator/1', { external_id: 'root' });
  await importRows([createRow('adm', { roles: ['ADMIN'] })]);
  const rows = [
    { externalId: 'adm', roles: ['OPERATOR'] },
    { externalId: 'root', roles: ['OPERATOR'] },
  ];
  const report = await importRows(rows, { allOrNothing: false });
  assert.deepEqual(listOutcomes(report), ['UPDATED', 'FAILED']);
  assert.match(errorsOf(report, 2)[0].message, /last admin/);
});

test('1000 rows are accepted, 1001 are not', async () => {
  const rows = Array.from({ length: 1001 }, (_, index) => createRow(`many${index}`));
  const { report: noReport, userErrors } = await sendImport(rows);
  assert.equal(noReport, null);
  assert.deepEqual(userErrors[0].field, ['input', 'rows']);
  assert.match(userErrors[0].message, /1000/);
  assert.deepEqual(new Set(listOutcomes(await importRows(rows.slice(1)))), new Set(['CREATED']));
  assert.deepEqual(await importRows([]), { applied: false, rows: [] });
});

test('with an Idempotency-Key an import runs once, and a failed one stays failed', async () => {
  const withIdempotencyKey = (key: string) => ({ 'Idempotency-Key': key });
  const first = await importRows([createRow('once')], {}, admin, withIdempotencyKey('import-1'));
  await rest.delete(`/operator/${first.rows[0].operatorId}`);
  assert.deepEqual(await importRows([createRow('once')], {}, admin, withIdempotencyKey('import-1')), first);
  assert.equal(await findOperator('once'), undefined, 'the import does not run again');
  const rows = [createRow('later'), { externalId: 'nameless' }];
  const partial = await importRows(rows, { allOrNothing: false }, admin, withIdempotencyKey('import-2'));
  assert.deepEqual(await importRows(rows, { allOrNothing: false }, admin, withIdempotencyKey('import-2')), partial);
  const conflicting = createRow('grown', { email: 'later@example.org' });
  const failed = await importRows([conflicting], {}, admin, withIdempotencyKey('import-3'));
  assert.equal(failed.applied, false);
  await rest.delete(`/operator/${partial.rows[0].operatorId}`);
  assert.deepEqual(
    await importRows([conflicting], {}, admin, withIdempotencyKey('import-3')),
    failed,
    'although it would succeed now',
  );
  const both = await Promise.all(
    [1, 2].map(() => importRows([createRow('race')], {}, admin, withIdempotencyKey('import-4'))),
  );
  assert.deepEqual(both[0], both[1]);
});

test('an import whose response cannot be stored is rolled back: both are one transaction', async () => {
  const rows = [createRow('lost'), { externalId: 'nameless' }];
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
