import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { readOperators, toCsv, toJson } from '../../src/commands/operator-file.ts';
import { runProgram } from '../../src/commands/program.ts';
import { ROWS_OF_ONE_COMMIT } from '../../src/core/administration/operator-import.ts';
import { DESK } from '../../src/core/operators/call-config.ts';
import { type Operator, withDefaults } from '../../src/core/operators/operator.ts';
import { tryLogin } from '../support/clients/oauth.ts';
import { type RestClient, restClient } from '../support/clients/rest.ts';
import { add } from '../support/people/people.ts';
import { environment, type Switchboard, startSwitchboard } from '../support/processes/switchboard.ts';
import { terminalWith } from '../support/processes/terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchboard-import-'));
const HEAD = 'external_id,email,name,group_id,skill_list';
const DRY = /dry run: nothing was changed/;
let switchboard: Switchboard;
let rest: RestClient;
before(async () => {
  switchboard = await startSwitchboard({ folder });
  rest = restClient(switchboard.url, switchboard.key);
  await add(rest, 'group', { name: 'Support' });
  await add(rest, 'skill', { name: 'Billing' });
  await add(rest, 'skill', { name: 'Returns' });
  await add(rest, 'website', { label: 'Shop', url: 'https://shop.example.com' });
});
after(async () => {
  await switchboard.stop();
  rmSync(folder, { recursive: true, force: true });
});

let files = 0;
function fileOf(content: string | Uint8Array, ending = 'csv'): string {
  files += 1;
  const file = join(folder, `${files}.${ending}`);
  writeFileSync(file, content);
  return file;
}

const load = (content: string | Uint8Array, options: readonly string[] = ['--apply'], ending?: string) =>
  switchboard.command(['import', 'operators', fileOf(content, ending), ...options]);

async function loaded(content: string | Uint8Array, options?: readonly string[], ending?: string): Promise<string> {
  const { code, stdout, stderr } = await load(content, options, ending);
  assert.deepEqual([code, stderr], [0, ''], stdout + stderr);
  return stdout;
}

const operator = async (externalId: string) =>
  (await rest.get(`/operator?full=1&filters[external_id]=${encodeURIComponent(externalId)}`)).body.data[0];
const count = async () => (await rest.get('/operator')).body.pagination.count;

suite('an import', () => {
  test('is a dry run until --apply, then makes, changes or leaves alone', async () => {
    const people = await count();
    const csv = `${HEAD}\na1,a1@example.org,Ann,1,"1,2"\na2,a2@example.org,Ben,,\n`;
    const trial = await loaded(csv, []);
    assert.match(trial, /^created 2, updated 0, unchanged 0, failed 0$/m);
    assert.match(trial, DRY);
    assert.equal(await count(), people);
    assert.match(await loaded(csv), /^created 2, .*\nDone\.$/m);
    const ann = await operator('a1');
    assert.deepEqual([ann.group_id, ann.skill_list, ann.website_list], [1, [1, 2], [1]]);
    assert.match(await loaded(csv), /^created 0, updated 0, unchanged 2, failed 0$/m);
    assert.match(await loaded('external_id,group_id,roles\na1,,\n'), /updated 1/);
    assert.equal((await operator('a1')).group_id, null, 'an empty cell empties what can be empty');
    assert.deepEqual((await operator('a1')).roles, ['operator'], 'and says nothing of what cannot');
  });

  test('with mistakes changes nothing, or takes the good rows with --partly; both end with 1', async () => {
    const csv = `${HEAD}\nb1,b1@example.org,Bo,,\nb2,no address,,77,\n,b3@example.org,No One,,\nb1,b4@example.org,Again,,`;
    const people = await count();
    const refused = await load(csv);
    assert.equal(refused.code, 1);
    assert.match(refused.stdout, /^row 2 \(b2\): name .*; email must be a valid e-mail/m);
    assert.match(refused.stdout, /^row 3 \(no external_id\): external_id is missing: it says who is meant$/m);
    assert.match(refused.stdout, /^row 4 \(b1\): external_id must not be repeated: row 1 has the same$/m);
    assert.match(refused.stderr, /^3 of 4 rows have mistakes; nothing was changed\. .*--partly/);
    assert.equal(await count(), people);
    const partly = await load(csv, ['--apply', '--partly']);
    assert.equal(partly.code, 1);
    assert.match(partly.stdout, /^created 1, updated 0, unchanged 0, failed 3$/m);
    assert.match(partly.stderr, /^3 of 4 rows have mistakes; the others were taken\.$/m);
    assert.equal(await count(), people + 1);
  });

  test('takes JSON by the same names, and passwords', async () => {
    const row = { external_id: 'j1', email: 'j1@example.org', name: 'J', skill_list: [2], chat_enabled: false };
    const json = JSON.stringify([{ ...row, password: 'nobody guesses this', call_config: { phone_number: null } }]);
    assert.match(await loaded(json, undefined, 'json'), /created 1/);
    assert.equal((await tryLogin(switchboard.url, 'j1@example.org', 'nobody guesses this')).status, 200);
    assert.deepEqual([(await operator('j1')).chat_enabled, (await operator('j1')).skill_list], [false, [2]]);
    assert.match(await loaded('external_id,password\nj1,\n'), /unchanged 1/);
    assert.match((await load('external_id,password\nj1,qwertyuiop\n')).stdout, /row 1 \(j1\): password .*commonest/);
  });

  test('reads a byte order mark, quotes, line breaks, empty lines and every alphabet', async () => {
    const name = 'Владимир "Вова", 山田\nпервый 😀';
    const csv = `\uFEFFexternal_id,email,name\r\n" ü-1 ",u1@example.org,"${name.replaceAll('"', '""')}"\r\n\r\n,,\r\n`;
    assert.match(await loaded(csv), /created 1/);
    assert.equal((await operator(' ü-1 ')).name, name);
  });

  const refusals: [string, string | Uint8Array, string, RegExp][] = [
    ['an unknown column', 'external_id,salary\nx,1', 'csv', /unknown column: "salary"\. Known are: external_id, email/],
    ['a column twice', 'external_id,name,name\nx,1,2', 'csv', /column name twice/],
    ['semicolons', 'external_id;email\nx;y', 'csv', /must be separated by commas, as in: external_id,email/],
    ['a row that is too long', 'external_id,name\nx,1,2', 'csv', /not readable as CSV: .*line 2/],
    ['an open quote', 'external_id,name\nx,"1', 'csv', /not readable as CSV: .*[Qq]uote/],
    ['an empty file', '', 'csv', /has no rows/],
    ['a header alone', 'external_id,name\n', 'csv', /has no rows/],
    ['another encoding', Buffer.from('external_id,name\nx,Jos\xe9', 'latin1'), 'csv', /not UTF-8/],
    ['bad JSON', '[{', 'json', /not readable as JSON/],
    ['no list', '{"external_id":"x"}', 'json', /must be a JSON list/],
    ['an empty list', '[]', 'json', /has no rows/],
    ['an unknown field', '[{"external_id":"x","call_config":{"fax":1}}]', 'json', /Row 1 has .*"call_config\.fax"/],
    ['another ending', 'x', 'txt', /must end in \.csv or \.json/],
  ];
  for (const [what, content, ending, reason] of refusals) {
    test(`of ${what} is refused in words`, async () => {
      const { code, stderr } = await load(content, ['--apply', '--partly'], ending);
      assert.equal(code, 1);
      assert.match(stderr, reason);
      assert.doesNotMatch(stderr, /^\s+at /m);
    });
  }

  test('of a file that does not exist is refused; help says what there is', async () => {
    const { code, stderr } = await switchboard.command(['import', 'operators', join(folder, 'none.csv')]);
    assert.equal(code, 1);
    assert.match(stderr, /no such file/);
    const help = await switchboard.command(['import', 'operators', '--help']);
    for (const part of ['--apply', '--partly', '--account', '.csv or .json', 'external_id', 'dry run']) {
      assert.ok(help.stdout.includes(part), part);
    }
    assert.match((await switchboard.command(['export', 'operators', '--help'])).stdout, /without passwords/);
  });

  test('shows its progress to a terminal', async () => {
    const rows = Array.from({ length: 250 }, (_, index) => `t${index},t${index}@example.org,T`);
    const args = ['import', 'operators', fileOf(`external_id,email,name\n${rows.join('\n')}`)];
    const { terminal, stderr } = terminalWith(environment(folder), '', { isTTY: true });
    assert.equal(await runProgram(args, terminal), 0);
    assert.equal(stderr.text, '\r100 of 250 checked\r200 of 250 checked\r250 of 250 checked\n');
    assert.equal((await switchboard.command(args)).stderr, '', 'a file gets the outcome only');
  });

  test('of a thousand rows takes them all', async () => {
    const rows = Array.from({ length: ROWS_OF_ONE_COMMIT + 1 }, (_, index) => `s${index},s${index}@example.org,S,1,2`);
    assert.match(await loaded(`${HEAD}\n${rows.join('\n')}`), new RegExp(`created ${rows.length}`));
    const filter = '/operator?filters[skill_id]=2&filters[external_id]=s*';
    assert.equal((await rest.get(filter)).body.pagination.count, rows.length);
  });
});

suite('an export', () => {
  for (const ending of ['csv', 'json']) {
    test(`as ${ending} is what import reads, and changes nothing`, async () => {
      const file = join(folder, `out.${ending}`);
      await rest.put('/operator/1', { external_id: '', name: '=1+1', call_config: { phone_number: '+33123456789' } });
      const { code, stdout } = await switchboard.command(['export', 'operators', file]);
      assert.equal(code, 0);
      assert.match(stdout, new RegExp(`^${await count()} operators are in .*Passwords and .* are not\\.$`, 'm'));
      assert.match(stdout, /^1 of them has no external_id: an import cannot find them again/m);
      assert.equal(statSync(file).mode & 0o077, 0);
      const text = readFileSync(file, 'utf8');
      assert.doesNotMatch(text, /password|sso|argon|"id"/);
      if (ending === 'csv') assert.match(text, /,'=1\+1,.*,'\+33123456789\r$/m);
      const again = await load(text, [], ending);
      assert.match(again.stdout, /^row 1 \(no external_id\): external_id is missing/m);
      assert.match(again.stdout, /^created 0, updated 0, unchanged \d+, failed 1$/m);
      await rest.put('/operator/1', { external_id: 'root' });
      await switchboard.command(['export', 'operators', file]);
      assert.match(
        await loaded(readFileSync(file, 'utf8'), undefined, ending),
        /created 0, updated 0, unchanged \d+, f/,
      );
    });
  }

  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.string({
      unit: fc.constantFrom('=', '+', '-', '@', "'", '"', ',', ';', '\t', '\r', '\n', ' ', 'a', '\u00a0', '＝'),
    }),
  );
  const texts = fc.record({
    name: text,
    firstName: text,
    pseudo: text,
    externalId: text.filter((value) => value !== ''),
  });

  test('gives every text back as it was, and no cell of it starts as a formula', () => {
    fc.assert(
      fc.property(fc.array(texts, { minLength: 1, maxLength: 4 }), (people) => {
        const operators = people.map((fields, index): Operator => {
          const draft = withDefaults({ ...fields, email: '-a@example.org', callConfig: DESK }, [1, 2]);
          return { ...draft, id: index + 1, version: 1, ssoVersion: 1 };
        });
        for (const [format, written] of [['csv', toCsv(operators)] as const, ['json', toJson(operators)] as const]) {
          const read = readOperators(Buffer.from(written), format);
          for (const [index, { id: _, version: _v, ssoVersion: _s, ...operator }] of operators.entries()) {
            const { name, ...others } = operator;
            // A name is never empty, so an empty cell says nothing of it.
            const expected = { ...others, ...(name === '' && format === 'csv' ? {} : { name }) };
            assert.deepEqual(read[index], { ...expected, callConfig: { ...DESK, phoneNumber: null } });
          }
          if (format === 'csv') {
            const cells = (parse(written) as string[][]).flat();
            assert.deepEqual(
              cells.filter((cell) => /^[=+\-@\t\r\n＝＋－＠]/.test(cell)),
              [],
            );
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});

// After the exports, which would take twice as long with these as well.
suite('an import in several commits', () => {
  test('that takes the good rows of more than one commit tells the same as its dry run', async () => {
    const rows = Array.from({ length: ROWS_OF_ONE_COMMIT + 1 }, (_, index) => `l${index},l${index}@example.org,L,1,1`);
    rows[2] = 'l2,l2@example.org,L,99,1';
    rows[ROWS_OF_ONE_COMMIT] = 'last,L1@example.org,L,1,1'; // taken by a row of another transaction
    const csv = `${HEAD}\n${rows.join('\n')}`;
    const [trial, done] = [await load(csv, ['--partly']), await load(csv, ['--partly', '--apply'])];
    const taken = `^row ${rows.length} \\(last\\): email is already used by another operator$`;
    assert.match(trial.stdout, new RegExp(taken, 'm'));
    assert.match(trial.stdout, new RegExp(`^created ${rows.length - 2}, updated 0, unchanged 0, failed 2$`, 'm'));
    assert.equal(done.stdout, trial.stdout);
    assert.match(trial.stderr, /nothing was changed/);
    assert.match(done.stderr, /the others were taken/);
  });

  test('leaves every kept number right', async () => {
    const { code, stdout } = await switchboard.command(['doctor']);
    assert.equal(code, 0, stdout);
  });
});
