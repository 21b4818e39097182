import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type GraphqlClient, graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import { add, addOperator, otherAccount } from '../../support/people/people.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchboard-import-'));
const PASSWORD = 'a phrase that nobody guesses';
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
let elsewhere: number;
let skill: number;
let website: number;

before(async () => {
  switchboard = await startSwitchboard({ folder });
  rest = restClient(switchboard.url, switchboard.key);
  admin = graphqlClient(switchboard.url, await logIn(switchboard.url));
  group = await add(rest, 'group', { name: 'Support' });
  subgroup = await add(rest, 'group', { name: 'Night', parent_id: group });
  elsewhere = await add(rest, 'group', { name: 'Sales' });
  skill = await add(rest, 'skill', { name: 'Billing' });
  website = await add(rest, 'website', { label: 'Shop', url: 'https://shop.example.com' });
});
after(async () => {
  const examined = await switchboard.command(['doctor']);
  await switchboard.stop();
  rmSync(folder, { recursive: true, force: true });
  assert.equal(examined.code, 0, examined.stdout);
});

type Row = Record<string, unknown>;
interface Options {
  dryRun?: boolean;
  allOrNothing?: boolean;
}

async function send(rows: readonly Row[], options: Options = {}, client = admin, headers = {}) {
  const { data, errors } = await client.run(IMPORT, { input: { rows, ...options } }, headers);
  assert.deepEqual(errors, []);
  return data.operatorsImport;
}

/** The report of an import that is taken as such. */
async function report(rows: readonly Row[], options: Options = {}, client = admin, headers = {}) {
  const payload = await send(rows, options, client, headers);
  assert.deepEqual(payload.userErrors, []);
  return payload.report;
}

// biome-ignore lint/suspicious/noExplicitAny: rows of a report
const outcomes = (answer: any): string[] => answer.rows.map((row: { outcome: string }) => row.outcome);
// biome-ignore lint/suspicious/noExplicitAny: rows of a report
const errorsOf = (answer: any, row: number) => answer.rows[row - 1].userErrors;
const operator = async (externalId: string) =>
  (await rest.get(`/operator?full=1&filters[external_id]=${externalId}`)).body.data[0];
const person = (externalId: string, fields: Row = {}): Row => ({
  externalId,
  name: `Name of ${externalId}`,
  email: `${externalId}@example.org`,
  ...fields,
});

/** Everything that an import must not touch when it changes nothing: operators, events, used identifiers. */
async function traces(): Promise<string[][]> {
  const tables = ['operators', 'logins', 'operator_live', 'events', 'counters', 'accounts', 'groups', 'skills'];
  const rows = tables.map((table) => switchboard.stored.rows(`select * from ${table}`));
  return (await Promise.all(rows)).map((each) => each.map((row) => JSON.stringify(row)).sort());
}

test('operators are made, changed, and left alone when nothing differs', async () => {
  const relations = { groupId: String(group), skillIds: [String(skill)], websiteIds: [String(website)] };
  const rows = [person('ann', relations), person('ben', { roles: ['EXPERT'], callConfig: { phoneNumber: null } })];
  const first = await report(rows);
  assert.deepEqual([first.applied, ...outcomes(first)], [true, 'CREATED', 'CREATED']);
  const ann = await operator('ann');
  assert.deepEqual([ann.group_id, ann.skill_list, ann.website_list], [group, [skill], [website]]);
  assert.equal(String(ann.id), first.rows[0].operatorId);
  assert.deepEqual(outcomes(await report(rows)), ['UNCHANGED', 'UNCHANGED']);
  const second = await report([{ externalId: 'ann', skillIds: [] }, rows[1] as Row, person('cem')]);
  assert.deepEqual(outcomes(second), ['UPDATED', 'UNCHANGED', 'CREATED']);
  assert.deepEqual((await operator('ann')).skill_list, []);
  assert.equal((await operator('ann')).name, 'Name of ann', 'what a row leaves out stays');
  assert.equal((await rest.get(`/operator?filters[skill_id]=${skill}`)).body.pagination.count, 0);
});

test('each change is one event, and what changes nothing is none', async () => {
  const events = () => switchboard.stored.rows('select type, actor_type, changes from events order by position');
  await report([person('eve'), person('eva')]);
  const earlier = (await events()).length;
  await report([person('eve'), person('eva', { pseudo: 'E.' }), person('evi')]);
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

test('a dry run tells everything and leaves no trace, not even a used identifier', async () => {
  const earlier = await traces();
  const rows = [person('ann', { name: 'Other' }), person('dry', { password: PASSWORD }), person('bad', { email: 'x' })];
  const trial = await report(rows, { dryRun: true });
  assert.deepEqual([trial.applied, ...outcomes(trial)], [false, 'UPDATED', 'CREATED', 'FAILED']);
  assert.equal(trial.rows[1].operatorId, null);
  assert.deepEqual(await traces(), earlier);
});

test('all or nothing: one bad row and nothing is changed; otherwise the good ones are taken', async () => {
  const rows = [person('one'), person('two', { email: 'none', chatMaxNumber: 99 }), person('ann', { pseudo: 'A.' })];
  const earlier = await traces();
  const refused = await report(rows);
  assert.deepEqual([refused.applied, ...outcomes(refused)], [false, 'CREATED', 'FAILED', 'UPDATED']);
  assert.equal(refused.rows[0].operatorId, null, 'nobody was made');
  assert.deepEqual(
    errorsOf(refused, 2).map((error: { field: string[] }) => error.field),
    [
      ['input', 'rows', '1', 'email'],
      ['input', 'rows', '1', 'chatMaxNumber'],
    ],
  );
  assert.deepEqual(await traces(), earlier);
  const partly = await report(rows, { allOrNothing: false });
  assert.deepEqual([partly.applied, ...outcomes(partly)], [true, 'CREATED', 'FAILED', 'UPDATED']);
  assert.equal((await operator('one')).name, 'Name of one');
  assert.equal(await operator('two'), undefined);
  assert.equal((await report([{ externalId: 'two' }], { allOrNothing: false })).applied, false, 'no good row at all');
});

test('each mistake fails its own row with its field', async () => {
  const stranger = await otherAccount(switchboard);
  await addOperator(stranger, { email: 'theirs@example.org', external_id: 'theirs' });
  const cases: [Row, string[] | null, string, RegExp][] = [
    [{ name: 'Nobody', email: 'n@example.org' }, ['externalId'], 'MISSING', /who is meant/],
    [{ ...person('x'), externalId: '' }, ['externalId'], 'MISSING', /who is meant/],
    [person('twice'), null, '', /./],
    [person('twice', { email: 'second@example.org' }), ['externalId'], 'INVALID', /row 3 has the same/],
    [person('same', { email: 'TWICE@example.org' }), ['email'], 'CONFLICT', /already used/],
    [person('abroad', { email: 'theirs@example.org' }), ['email'], 'CONFLICT', /already used/],
    [person('theirs', { email: 'ours@example.org' }), null, '', /./],
    [person('lost', { groupId: '999' }), ['groupId'], 'INVALID', /must name a group/],
    [person('odd', { groupId: 'abc' }), ['groupId'], 'INVALID', /identifier/],
    [person('w', { websiteIds: ['1', '-1'] }), ['websiteIds', '1'], 'INVALID', /identifier/],
    [person('s', { skillIds: ['999'] }), ['skillIds'], 'INVALID', /skills/],
    [{ externalId: 'unnamed' }, ['name'], 'MISSING', /name/],
    [person('common', { password: 'qwertyuiop' }), ['password'], 'INVALID', /commonest/],
    [person('short', { password: 'short' }), ['password'], 'INVALID', /at least 10/],
    [person('phone', { callConfig: { phoneNumber: '12' } }), ['callConfig', 'phoneNumber'], 'INVALID', /phone number/],
    [person('nul', { name: 'a\0b' }), ['name'], 'INVALID', /NUL/],
  ];
  const answer = await report(
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

test('passwords of rows work, and end the tokens of whoever had one', async () => {
  const row = person('secret', { password: PASSWORD });
  await report([row]);
  const token = await logIn(switchboard.url, { email: 'secret@example.org', password: PASSWORD });
  assert.ok(token);
  assert.deepEqual(outcomes(await report([{ externalId: 'secret', password: `${PASSWORD}, again` }])), ['UPDATED']);
  await assert.rejects(logIn(switchboard.url, { email: 'secret@example.org', password: PASSWORD }));
  const { rows } = switchboard.stored;
  const [kept] = await rows("select password_hash from logins where email_folded = 'secret@example.org'");
  assert.match(String(kept?.password_hash), /^\$argon2id\$/);
  assert.ok(!JSON.stringify(await rows('select * from events')).includes(PASSWORD));
});

test('a manager imports within their groups and not above; others not at all', async () => {
  await report([
    person('boss', { roles: ['MANAGER'], groupId: String(group), password: PASSWORD }),
    person('plain', { groupId: String(group), password: PASSWORD }),
    person('seller', { groupId: String(elsewhere) }),
  ]);
  const as = async (who: string) =>
    graphqlClient(switchboard.url, await logIn(switchboard.url, { email: `${who}@example.org`, password: PASSWORD }));
  const manager = await as('boss');
  const rows = [
    person('night', { groupId: String(subgroup) }),
    person('plain', { pseudo: 'P.' }),
    person('free'),
    person('raised', { groupId: String(group), roles: ['MANAGER'] }),
    person('seller', { pseudo: 'S.' }),
    { externalId: 'plain2', name: 'P', email: 'p2@example.org', groupId: String(elsewhere) },
    { externalId: 'boss', roles: ['ADMIN'] },
  ];
  const answer = await report(rows, { allOrNothing: false }, manager);
  assert.deepEqual(outcomes(answer), ['CREATED', 'UPDATED', 'FAILED', 'FAILED', 'FAILED', 'FAILED', 'FAILED']);
  assert.match(errorsOf(answer, 3)[0].message, /You may not/);
  const refused = await (await as('plain')).run(IMPORT, { input: { rows: [person('z')] } });
  assert.deepEqual(
    refused.errors.map((error) => error.extensions.code),
    ['FORBIDDEN'],
  );
});

test('the last admin stays: also when rows take admins away one after the other', async () => {
  await rest.put('/operator/1', { external_id: 'root' });
  await report([person('adm', { roles: ['ADMIN'] })]);
  const rows = [
    { externalId: 'adm', roles: ['OPERATOR'] },
    { externalId: 'root', roles: ['OPERATOR'] },
  ];
  const answer = await report(rows, { allOrNothing: false });
  assert.deepEqual(outcomes(answer), ['UPDATED', 'FAILED']);
  assert.match(errorsOf(answer, 2)[0].message, /last admin/);
});

test('1000 rows are taken, 1001 are not', async () => {
  const rows = Array.from({ length: 1001 }, (_, index) => person(`many${index}`));
  const { report: none, userErrors } = await send(rows);
  assert.equal(none, null);
  assert.deepEqual(userErrors[0].field, ['input', 'rows']);
  assert.match(userErrors[0].message, /1000/);
  assert.deepEqual(new Set(outcomes(await report(rows.slice(1)))), new Set(['CREATED']));
  assert.deepEqual(await report([]), { applied: false, rows: [] });
});

test('with an Idempotency-Key an import happens once, and a refusal stays one', async () => {
  const keyed = (key: string) => ({ 'Idempotency-Key': key });
  const first = await report([person('once')], {}, admin, keyed('import-1'));
  await rest.delete(`/operator/${first.rows[0].operatorId}`);
  assert.deepEqual(await report([person('once')], {}, admin, keyed('import-1')), first);
  assert.equal(await operator('once'), undefined, 'it is not done again');
  const rows = [person('later'), { externalId: 'nameless' }];
  const partly = await report(rows, { allOrNothing: false }, admin, keyed('import-2'));
  assert.deepEqual(await report(rows, { allOrNothing: false }, admin, keyed('import-2')), partly);
  const taken = person('grown', { email: 'later@example.org' });
  const failed = await report([taken], {}, admin, keyed('import-3'));
  assert.equal(failed.applied, false);
  await rest.delete(`/operator/${partly.rows[0].operatorId}`);
  assert.deepEqual(await report([taken], {}, admin, keyed('import-3')), failed, 'though it would work now');
  const both = await Promise.all([1, 2].map(() => report([person('race')], {}, admin, keyed('import-4'))));
  assert.deepEqual(both[0], both[1]);
});

test('an import whose answer cannot be kept is not made: both are one transaction', async () => {
  const rows = [person('lost'), { externalId: 'nameless' }];
  const allowAgain = await switchboard.stored.refuseInserts('idempotency_keys');
  for (const [index, allOrNothing] of [true, false].entries()) {
    const headers = { 'Idempotency-Key': `import-lost-${index}` };
    const input = { rows: allOrNothing ? rows.slice(0, 1) : rows, allOrNothing };
    const { errors } = await admin.run(IMPORT, { input }, headers);
    assert.equal(errors[0]?.extensions.code, 'INTERNAL');
    assert.equal(await operator('lost'), undefined);
  }
  await allowAgain();
});
