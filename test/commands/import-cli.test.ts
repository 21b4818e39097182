import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { readOperators, toCsv, toJson } from '../../src/commands/operator-file.ts';
import { runProgram } from '../../src/commands/program.ts';
import { MAX_ROWS_PER_COMMIT } from '../../src/core/administration/operator-import.ts';
import { DEFAULT_CALL_CONFIG } from '../../src/core/operators/call-config.ts';
import { type Operator, withDefaults } from '../../src/core/operators/operator.ts';
import { tryLogin } from '../support/clients/oauth.ts';
import { type RestClient, restClient } from '../support/clients/rest.ts';
import { createResource } from '../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard, testEnvironment } from '../support/processes/switchboard.ts';
import { createTerminal } from '../support/processes/terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchboard-import-'));
const HEAD = 'external_id,email,name,group_id,skill_list';
const DRY_RUN = /dry run: nothing was changed/;
let switchboard: Switchboard;
let rest: RestClient;
before(async () => {
  switchboard = await startSwitchboard({ folder });
  rest = restClient(switchboard.url, switchboard.key);
  await createResource(rest, 'group', { name: 'Support' });
  await createResource(rest, 'skill', { name: 'Billing' });
  await createResource(rest, 'skill', { name: 'Returns' });
  await createResource(rest, 'website', { label: 'Shop', url: 'https://shop.example.com' });
});
after(async () => {
  await switchboard.stop();
  rmSync(folder, { recursive: true, force: true });
});

let fileCount = 0;
function writeImportFile(content: string | Uint8Array, extension = 'csv'): string {
  fileCount += 1;
  const file = join(folder, `${fileCount}.${extension}`);
  writeFileSync(file, content);
  return file;
}

const runImport = (content: string | Uint8Array, options: readonly string[] = ['--apply'], extension?: string) =>
  switchboard.runCommand(['import', 'operators', writeImportFile(content, extension), ...options]);

async function importSuccessfully(
  content: string | Uint8Array,
  options?: readonly string[],
  extension?: string,
): Promise<string> {
  const { code, stdout, stderr } = await runImport(content, options, extension);
  assert.deepEqual([code, stderr], [0, ''], stdout + stderr);
  return stdout;
}

const operator = async (externalId: string) =>
  (await rest.get(`/operator?full=1&filters[external_id]=${encodeURIComponent(externalId)}`)).body.data[0];
const count = async () => (await rest.get('/operator')).body.pagination.count;

suite('an import', () => {
  test('is a dry run without --apply; with it, creates, updates or skips rows', async () => {
    const operatorCount = await count();
    const csv = `${HEAD}\na1,a1@example.org,Ann,1,"1,2"\na2,a2@example.org,Ben,,\n`;
    const dryRun = await importSuccessfully(csv, []);
    assert.match(dryRun, /^created 2, updated 0, unchanged 0, failed 0$/m);
    assert.match(dryRun, DRY_RUN);
    assert.equal(await count(), operatorCount);
    assert.match(await importSuccessfully(csv), /^created 2, .*\nDone\.$/m);
    const ann = await operator('a1');
    assert.deepEqual([ann.group_id, ann.skill_list, ann.website_list], [1, [1, 2], [1]]);
    assert.match(await importSuccessfully(csv), /^created 0, updated 0, unchanged 2, failed 0$/m);
    assert.match(await importSuccessfully('external_id,group_id,roles\na1,,\n'), /updated 1/);
    assert.equal((await operator('a1')).group_id, null, 'an empty cell clears an optional field');
    assert.deepEqual((await operator('a1')).roles, ['operator'], 'and leaves a required one unchanged');
  });

  test('with errors changes nothing, or imports the valid rows with --partly; both exit with 1', async () => {
    const csv = `${HEAD}\nb1,b1@example.org,Bo,,\nb2,no address,,77,\n,,No One,,\nb1,b4@example.org,Again,,`;
    const operatorCount = await count();
    const refused = await runImport(csv);
    assert.equal(refused.code, 1);
    assert.match(refused.stdout, /^row 2 \(b2\): name .*; email must be a valid e-mail/m);
    assert.match(
      refused.stdout,
      /^row 3 \(neither external_id nor email\): external_id is missing: it or email identifies the operator$/m,
    );
    assert.match(refused.stdout, /^row 4 \(b1\): external_id must not be repeated: row 1 has the same$/m);
    assert.match(refused.stderr, /^3 of 4 rows have errors; nothing was changed\. .*--partly/);
    assert.equal(await count(), operatorCount);
    const partly = await runImport(csv, ['--apply', '--partly']);
    assert.equal(partly.code, 1);
    assert.match(partly.stdout, /^created 1, updated 0, unchanged 0, failed 3$/m);
    assert.match(partly.stderr, /^3 of 4 rows have errors; the others were imported\.$/m);
    assert.equal(await count(), operatorCount + 1);
  });

  test('accepts JSON with the same names, and passwords', async () => {
    const row = { external_id: 'j1', email: 'j1@example.org', name: 'J', skill_list: [2], chat_enabled: false };
    const json = JSON.stringify([{ ...row, password: 'a hard to guess one', call_config: { phone_number: null } }]);
    assert.match(await importSuccessfully(json, undefined, 'json'), /created 1/);
    assert.equal((await tryLogin(switchboard.url, 'j1@example.org', 'a hard to guess one')).status, 200);
    assert.deepEqual([(await operator('j1')).chat_enabled, (await operator('j1')).skill_list], [false, [2]]);
    assert.match(await importSuccessfully('external_id,password\nj1,\n'), /unchanged 1/);
    assert.match(
      (await runImport('external_id,password\nj1,qwertyuiop\n')).stdout,
      /row 1 \(j1\): password must not be a common password/,
    );
  });

  test('reads a byte order mark, quotes, line breaks, empty lines and all scripts', async () => {
    const name = 'Владимир "Вова", 山田\nпервый 😀';
    const csv = `\uFEFFexternal_id,email,name\r\n" ü-1 ",u1@example.org,"${name.replaceAll('"', '""')}"\r\n\r\n,,\r\n`;
    assert.match(await importSuccessfully(csv), /created 1/);
    assert.equal((await operator(' ü-1 ')).name, name);
  });

  const refusals: [string, string | Uint8Array, string, RegExp][] = [
    [
      'an unknown column',
      'external_id,salary\nx,1',
      'csv',
      /unknown column: "salary"\. Known columns: external_id, email/,
    ],
    ['a column twice', 'external_id,name,name\nx,1,2', 'csv', /column name twice/],
    ['semicolons', 'external_id;email\nx;y', 'csv', /must be separated by commas, as in: external_id,email/],
    ['a row that is too long', 'external_id,name\nx,1,2', 'csv', /not readable as CSV: .*line 2/],
    ['an open quote', 'external_id,name\nx,"1', 'csv', /not readable as CSV: .*[Qq]uote/],
    ['an empty file', '', 'csv', /has no rows/],
    ['only a header', 'external_id,name\n', 'csv', /has no rows/],
    ['another encoding', Buffer.from('external_id,name\nx,Jos\xe9', 'latin1'), 'csv', /not UTF-8/],
    ['bad JSON', '[{', 'json', /not readable as JSON/],
    ['JSON that is not a list', '{"external_id":"x"}', 'json', /must be a JSON list/],
    ['an empty list', '[]', 'json', /has no rows/],
    ['an unknown field', '[{"external_id":"x","call_config":{"fax":1}}]', 'json', /Row 1 has .*"call_config\.fax"/],
    ['another file extension', 'x', 'txt', /must end in \.csv or \.json/],
  ];
  for (const [what, content, extension, reason] of refusals) {
    test(`with ${what} is refused with a clear message`, async () => {
      const { code, stderr } = await runImport(content, ['--apply', '--partly'], extension);
      assert.equal(code, 1);
      assert.match(stderr, reason);
      assert.doesNotMatch(stderr, /^\s+at /m);
    });
  }

  test('of a missing file is refused; the help lists all options', async () => {
    const { code, stderr } = await switchboard.runCommand(['import', 'operators', join(folder, 'none.csv')]);
    assert.equal(code, 1);
    assert.match(stderr, /none\.csv cannot be read: no such file or directory\.$/m);
    assert.doesNotMatch(stderr, /ENOENT/);
    const help = await switchboard.runCommand(['import', 'operators', '--help']);
    for (const part of ['--apply', '--partly', '--account', '.csv or .json', 'external_id', 'dry run']) {
      assert.ok(help.stdout.includes(part), part);
    }
    assert.match((await switchboard.runCommand(['export', 'operators', '--help'])).stdout, /without passwords/);
    const unwritable = await switchboard.runCommand(['export', 'operators', join(folder, 'none', 'out.csv')]);
    assert.equal(unwritable.code, 1);
    assert.match(unwritable.stderr, /out\.csv cannot be written: no such file or directory\.$/m);
  });

  test('shows progress on a terminal', async () => {
    const rows = Array.from({ length: 250 }, (_, index) => `t${index},t${index}@example.org,T`);
    const args = ['import', 'operators', writeImportFile(`external_id,email,name\n${rows.join('\n')}`)];
    const { terminal, stderr } = createTerminal(testEnvironment(folder), '', { isTTY: true });
    assert.equal(await runProgram(args, terminal), 0);
    assert.equal(stderr.text, '\r100 of 250 checked\r200 of 250 checked\r250 of 250 checked\n');
    assert.equal((await switchboard.runCommand(args)).stderr, '', 'no progress without a terminal');
  });

  test('shows progress while passwords are hashed', async () => {
    const rows = ['h1,h1@example.org,H,a phrase that is hard to guess', 'h2,h2@example.org,H,another phrase to guess'];
    const file = writeImportFile(`external_id,email,name,password\n${rows.join('\n')}`);
    const { terminal, stderr } = createTerminal(testEnvironment(folder), '', { isTTY: true });
    assert.equal(await runProgram(['import', 'operators', file, '--apply'], terminal), 0);
    assert.equal(
      stderr.text,
      '\r2 of 2 checked\n\r1 of 2 passwords hashed\r2 of 2 passwords hashed\n\r2 of 2 imported\n',
    );
  });

  test('of more than a thousand rows imports all of them', async () => {
    const rows = Array.from({ length: MAX_ROWS_PER_COMMIT + 1 }, (_, index) => `s${index},s${index}@example.org,S,1,2`);
    assert.match(await importSuccessfully(`${HEAD}\n${rows.join('\n')}`), new RegExp(`created ${rows.length}`));
    const filter = '/operator?filters[skill_id]=2&filters[external_id]=s*';
    assert.equal((await rest.get(filter)).body.pagination.count, rows.length);
  });
});

suite('an export', () => {
  for (const extension of ['csv', 'json']) {
    test(`as ${extension} can be imported again and changes nothing`, async () => {
      const file = join(folder, `out.${extension}`);
      await rest.put('/operator/1', { external_id: '', name: '=1+1', call_config: { phone_number: '+33123456789' } });
      const { code, stdout } = await switchboard.runCommand(['export', 'operators', file]);
      assert.equal(code, 0);
      assert.match(stdout, new RegExp(`^Exported ${await count()} operators to .*, without passwords and`, 'm'));
      assert.equal(statSync(file).mode & 0o077, 0);
      const text = readFileSync(file, 'utf8');
      assert.doesNotMatch(text, /password|sso|argon|"id"/);
      if (extension === 'csv') assert.match(text, /,'=1\+1,.*,'\+33123456789\r$/m);
      const repeated = await importSuccessfully(text, undefined, extension);
      assert.match(repeated, new RegExp(`^created 0, updated 0, unchanged ${await count()}, failed 0$`, 'm'));
      await rest.put('/operator/1', { name: 'Changed' });
      assert.match(await importSuccessfully(text, undefined, extension), /^created 0, updated 1, unchanged/m);
      assert.equal((await rest.get('/operator/1?full=1')).body.data.name, '=1+1');
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

  test('preserves every text, and no cell starts like a formula', () => {
    fc.assert(
      fc.property(fc.array(texts, { minLength: 1, maxLength: 4 }), (operatorCount) => {
        const operators = operatorCount.map((fields, index): Operator => {
          const draft = withDefaults({ ...fields, email: '-a@example.org', callConfig: DEFAULT_CALL_CONFIG }, [1, 2]);
          return { ...draft, id: index + 1, version: 1, ssoVersion: 1 };
        });
        for (const [format, written] of [['csv', toCsv(operators)] as const, ['json', toJson(operators)] as const]) {
          const read = readOperators(Buffer.from(written), format);
          for (const [index, { id: _, version: _v, ssoVersion: _s, ...operator }] of operators.entries()) {
            const { name, ...others } = operator;
            // A name is never empty, so an empty cell leaves it unchanged.
            const expected = { ...others, ...(name === '' && format === 'csv' ? {} : { name }) };
            assert.deepEqual(read[index], { ...expected, callConfig: { ...DEFAULT_CALL_CONFIG, phoneNumber: null } });
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

// After the exports, which would take twice as long with these operators.
suite('an import in several commits', () => {
  test('that skips invalid rows reports the same as its dry run', async () => {
    const rows = Array.from({ length: MAX_ROWS_PER_COMMIT + 1 }, (_, index) => `l${index},l${index}@example.org,L,1,1`);
    rows[2] = 'l2,l2@example.org,L,99,1';
    rows[MAX_ROWS_PER_COMMIT] = 'last,L1@example.org,L,1,1'; // used by a row of another transaction
    const csv = `${HEAD}\n${rows.join('\n')}`;
    const [dryRun, done] = [await runImport(csv, ['--partly']), await runImport(csv, ['--partly', '--apply'])];
    const expectedError = `^row ${rows.length} \\(last\\): email is already used by another operator$`;
    assert.match(dryRun.stdout, new RegExp(expectedError, 'm'));
    assert.match(dryRun.stdout, new RegExp(`^created ${rows.length - 2}, updated 0, unchanged 0, failed 2$`, 'm'));
    assert.equal(done.stdout, dryRun.stdout);
    assert.match(dryRun.stderr, /nothing was changed/);
    assert.match(done.stderr, /the others were imported/);
  });

  test('leaves all stored counts correct', async () => {
    const { code, stdout } = await switchboard.runCommand(['doctor']);
    assert.equal(code, 0, stdout);
  });
});
