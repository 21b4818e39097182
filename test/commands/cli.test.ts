import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, suite, test } from 'node:test';
import { runProgram } from '../../src/commands/program.ts';
import { graphqlClient } from '../support/clients/graphql.ts';
import { checkToken, logIn, tryLogin } from '../support/clients/oauth.ts';
import { restClient } from '../support/clients/rest.ts';
import { isOnPostgres } from '../support/databases/postgres-database.ts';
import { setUpTwoFactor } from '../support/fixtures/two-factor.ts';
import { serveInProcess } from '../support/processes/in-process-service.ts';
import {
  runCommand,
  type Switchboard,
  startSwitchboard,
  startSwitchboardProcess,
  testEnvironment,
} from '../support/processes/switchboard.ts';
import { createTerminal } from '../support/processes/terminal.ts';
import { waitUntil } from '../support/waiting/wait.ts';

const DATABASE = 'switchboard.db';

/** Tests that are not repeated on PostgreSQL. */
const WITHOUT_DATABASE = { skip: isOnPostgres && 'does not depend on the database' };
const EMBEDDED_ONLY = { skip: isOnPostgres && 'embedded database only' };

let folder: string;
let switchboard: Switchboard;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-cli-'));
  // `restore` recognizes a running service by its process; only the embedded database has that command.
  switchboard = isOnPostgres ? await startSwitchboard({ folder }) : await startSwitchboardProcess({ folder });
});
after(async () => {
  await switchboard.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (line: string, input?: string) => switchboard.runCommand(line.split(' '), input);

/** Runs a command that must succeed and returns its output. */
async function succeed(line: string, input?: string): Promise<string> {
  const { code, stdout, stderr } = await run(line, input);
  assert.equal(code, 0, `${line}: ${stderr}`);
  assert.equal(stderr, '', line);
  return stdout;
}

/** Runs a command that must fail with code 1 and a message without a stack trace. */
async function refuse(line: string, reason: RegExp, input?: string): Promise<void> {
  const { code, stderr } = await run(line, input);
  assert.equal(code, 1, `${line}: ${stderr}`);
  assert.match(stderr, reason, line);
  assert.doesNotMatch(stderr, /^\s+at /m, line);
}

async function refuseAll(cases: readonly (readonly [line: string, reason: RegExp, input?: string])[]): Promise<void> {
  await Promise.all(cases.map(([line, reason, input]) => refuse(line, reason, input)));
}

const extractKey = (text: string): string => text.match(/sb_[A-Za-z0-9_-]{43}/)?.[0] ?? assert.fail(text);
const statusFor = async (key: string) => (await restClient(switchboard.url, key).get('/operator')).status;

/** A running service can cache a key or a token for a second. */
const waitUntilKeyRejected = (key: string) =>
  waitUntil('the key is no longer accepted', async () => (await statusFor(key)) === 403);
const waitUntilTokenRejected = (token: string) =>
  waitUntil('the token is no longer accepted', async () => (await checkToken(switchboard.url, token)).status === 401);

test('every command has a help text', WITHOUT_DATABASE, async () => {
  const commands = ['', 'serve', 'demo', 'key', 'key create', 'key list', 'key revoke', 'operator', 'operator create'];
  commands.push(
    'operator list',
    'operator password',
    'operator reset-two-factor',
    'operator delete',
    'account',
    'account create',
    'account list',
    'backup',
    'restore',
    'doctor',
  );
  commands.push('webhook', 'webhook add', 'webhook pause', 'webhook replay');
  await Promise.all(
    commands.map(async (command) => {
      const text = await succeed(`${command} --help`.trim());
      assert.ok(text.startsWith(`Usage: node src/main.ts${command && ` ${command}`}`), text);
    }),
  );
});

test('unknown commands and options are refused', WITHOUT_DATABASE, () =>
  refuseAll([
    ['frobnicate', /frobnicate|too many arguments/],
    ['key frobnicate', /unknown command 'frobnicate'/],
    ['key list --frobnicate', /unknown option '--frobnicate'/],
    ['serve --port abc', /PORT must be a port number/],
    ['backup', /missing required argument/],
  ]),
);

suite('keys', () => {
  test('are created with read or write access and work immediately', async () => {
    const reader = extractKey(await succeed('key create --name reader'));
    const writer = extractKey(await succeed('key create --name writer --access write'));
    assert.equal(await statusFor(reader), 200);
    const write = (key: string) => restClient(switchboard.url, key).post('/group', { name: 'Made by a key' });
    assert.equal((await write(reader)).status, 403);
    assert.equal((await write(writer)).status, 201);
  });

  test('are listed without their secret', async () => {
    const inDays = (days: number) => new Date(Date.now() + days * 24 * 3600 * 1000).toISOString().slice(0, 10);
    const soonest = inDays(30);
    const key = extractKey(await succeed('key create --name listed --days 30'));
    const latest = inDays(30); // midnight may have passed
    const list = await succeed('key list');
    const line = list.split('\n').find((text) => text.includes('listed')) ?? assert.fail(list);
    assert.ok(line.includes(`${key.slice(0, 8)}…`), line);
    assert.ok(line.includes(soonest) || line.includes(latest), `${line} does not expire on ${latest}`);
    assert.doesNotMatch(list, /sb_[A-Za-z0-9_-]{10}/);
    assert.ok(!list.includes(switchboard.key));
  });

  test('stop working on the running service once revoked', async () => {
    const output = await succeed('key create --name leaving');
    const id = output.match(/^Key (\d+)/)?.[1];
    assert.equal(await statusFor(extractKey(output)), 200);
    await succeed(`key revoke ${id}`);
    await waitUntilKeyRejected(extractKey(output));
    await refuse(`key revoke ${id}`, new RegExp(`Unknown 'api_key' with 'id' ${id}`));
  });

  test('stop working once expired', async () => {
    const key = extractKey(await succeed('key create --name ageing --days 1'));
    assert.equal(await statusFor(key), 200);
    await switchboard.storedData.query("update api_keys set expires_at = ? where name = 'ageing'", Date.now());
    await waitUntilKeyRejected(key);
  });

  test('bad input is refused', WITHOUT_DATABASE, () =>
    refuseAll([
      ['key create', /--name/],
      ['key create --name x --access admin', /read, write/],
      ['key create --name x --days 0', /--days must be a whole number/],
      ['key create --name x --days 1.5', /--days must be a whole number/],
      ['key create --name x --days 999999999999', /--days must be a whole number/],
      ['key create --name x --account 99', /There is no account 99/],
      ['key create --name x --account abc', /--account must be the number of an account\. To list accounts, run/],
      ['key create --name=', /name/],
      ['key revoke abc', /abc is not the id of a key/],
      ['key revoke 9999', /Unknown 'api_key' with 'id' 9999/],
    ]),
  );
});

suite('operators', () => {
  test('are created with the password from standard input', async () => {
    const line = 'operator create --email cli@example.com --name Line --first-name Command --roles manager,operator';
    assert.match(await succeed(line, 'typed at the terminal\n'), /^Created operator \d+: cli@example\.com$/m);
    assert.equal((await tryLogin(switchboard.url, 'cli@example.com', 'typed at the terminal')).status, 200);
    const { body } = await restClient(switchboard.url, switchboard.key).get(
      '/operator?full=1&filters[email]=cli@example.com',
    );
    assert.equal(body.data[0].first_name, 'Command');
    assert.deepEqual(body.data[0].roles, ['manager', 'operator']);
    await refuse(line, /email/, 'typed at the terminal\n');
  });

  test('get a new password, which revokes their tokens', async () => {
    const user = { email: 'forgetful@example.com', password: 'the old password of mine' };
    await succeed(`operator create --email ${user.email} --name Forgetful`, user.password);
    const token = await logIn(switchboard.url, user);
    await succeed('operator password Forgetful@Example.com', 'the new password of mine\n');
    await waitUntilTokenRejected(token);
    assert.equal((await tryLogin(switchboard.url, user.email, user.password)).status, 400);
    assert.equal((await tryLogin(switchboard.url, user.email, 'the new password of mine')).status, 200);
  });

  test('lose their two-factor authentication after a confirmation, and their tokens', async () => {
    const user = { email: 'lost-phone@example.com', password: 'a password of this test' };
    await succeed(`operator create --email ${user.email} --name Lost`, user.password);
    await refuse(`operator reset-two-factor ${user.email} --yes`, /of lost-phone@example\.com is not set up/);
    const token = await logIn(switchboard.url, user);
    await setUpTwoFactor(graphqlClient(switchboard.url, token), user.password);
    await refuse(`operator reset-two-factor ${user.email}`, /^Nothing was changed\. Add --yes to confirm\.$/m);
    assert.equal((await tryLogin(switchboard.url, user.email, user.password)).body.error, 'mfa_required');
    const output = await succeed('operator reset-two-factor Lost-Phone@Example.com --yes');
    assert.match(
      output,
      /^Two-factor authentication is off\. All sessions and tokens have ended\. The password is enough/m,
    );
    await waitUntilTokenRejected(token);
    assert.equal((await tryLogin(switchboard.url, user.email, user.password)).status, 200);
    await refuse('operator reset-two-factor unknown@example.com', /no operator with the e-mail unknown/);
  });

  test('are listed', async () => {
    await succeed('operator create --email listed@example.com --name Doe --first-name Jane', 'typed at the terminal\n');
    const list = await succeed('operator list');
    assert.match(list, /^id +email +name +roles +group +external id$/m);
    assert.match(list, /^1 +admin@example\.com +Admin +admin +- +-$/m);
    assert.match(list, /^\d+ +listed@example\.com +Jane Doe +operator +- +-$/m);
  });

  test('are deleted after a confirmation, but not the last admin', async () => {
    const create = 'operator create --email leaving@example.com --name Leaving';
    await succeed(create, 'typed at the terminal\n');
    await refuse('operator delete leaving@example.com', /^Nothing was changed\. Add --yes to confirm\.$/m);
    assert.match(await succeed('operator list'), /leaving@example\.com/);
    const deleted = await succeed('operator delete Leaving@Example.com --yes');
    assert.match(deleted, /^Deleted operator \d+: leaving@example\.com$/m);
    assert.doesNotMatch(await succeed('operator list'), /leaving@example\.com/);
    await refuseAll([
      ['operator delete leaving@example.com --yes', /no operator with the e-mail leaving@example\.com\. To list/],
      ['operator delete admin@example.com --yes', /last admin of an account cannot be deleted/],
    ]);
  });

  test('are deleted only if the answer on the terminal is yes', async () => {
    await succeed('operator create --email asked@example.com --name Asked', 'typed at the terminal\n');
    const answer = async (text: string) => {
      const { terminal, stderr } = createTerminal(testEnvironment(folder));
      const stdin = Object.assign(Readable.from([text]), { isTTY: true });
      const code = await runProgram(['operator', 'delete', 'asked@example.com'], { ...terminal, stdin });
      return [code, stderr.text.replace(/\d+/, 'N')];
    };
    const question = 'Delete operator N (asked@example.com)? [y/N] ';
    assert.deepEqual(await answer('\n'), [1, `${question}Nothing was changed.\n`]);
    assert.deepEqual(await answer('yes\n'), [0, question]);
  });

  test('bad input is refused', WITHOUT_DATABASE, () =>
    refuseAll([
      ['operator create --name x', /--email/],
      ['operator create --email no-address --name x', /email must/, 'a good long password\n'],
      ['operator create --email a@example.com --name x --roles king', /roles/, 'a good long password\n'],
      ['operator create --email a@example.com --name x', /password must have at least 10/, 'short\n'],
      ['operator create --email a@example.com --name x', /must not be a common password/, 'qwertyuiop\n'],
      ['operator create --email a@example.com --name x', /password is expected on standard input/, ''],
      ['operator password unknown@example.com', /no operator with the e-mail unknown/, 'a good long password\n'],
      ['operator password admin@example.com', /password must have at least 10/, 'xk7 q\n'],
    ]),
  );
});

suite('a backup', EMBEDDED_ONLY, () => {
  const target = () => join(folder, 'backup');
  const rest = () => restClient(switchboard.url, switchboard.key);
  const ssoKey = async (url = switchboard.url) =>
    (await restClient(url, switchboard.key).get('/operator/1')).body.data.sso_key as string;
  const labels = async () =>
    (await rest().get('/website?full=1')).body.data.map(({ label }: { label: string }) => label);
  let keyBefore: string;

  test('can be created while the service runs', async () => {
    keyBefore = await ssoKey();
    assert.ok(keyBefore);
    await rest().post('/website', { url: 'https://before.example.com', label: 'before' });
    assert.match(await succeed(`backup ${target()}`), /The backup is in/);
    for (const file of [DATABASE, 'secret']) assert.equal(statSync(join(target(), file)).mode & 0o077, 0, file);
    await rest().post('/website', { url: 'https://after.example.com', label: 'after' });
    await refuse(`backup ${target()}`, /already exists/);
    await refuse(`restore ${target()} --force`, /The service is running/);
  });

  test('that is missing or damaged is refused and the database is unchanged', async () => {
    await switchboard.stop();
    const rowsBefore = await switchboard.storedData.dumpRows();
    mkdirSync(join(folder, 'nothing'));
    await refuse(`restore ${join(folder, 'nothing')} --force`, /is not a backup/);
    const damaged = join(folder, 'damaged');
    cpSync(target(), damaged, { recursive: true });
    truncateSync(join(damaged, DATABASE), 40_000);
    await refuse(`restore ${damaged} --force`, /damaged|malformed/);
    await refuse(`restore ${target()}`, /Use --force to replace it/);
    assert.equal(await switchboard.storedData.dumpRows(), rowsBefore);
    assert.ok(rowsBefore.includes('after.example.com'));
  });

  test('can be restored when the service is stopped', async () => {
    assert.match(await succeed(`restore ${target()} --force`), /The previous database is kept as/);
    assert.ok(readdirSync(folder).some((file) => /before-restore.*Z$/.test(file)));
    switchboard = await startSwitchboard({ folder });
    assert.deepEqual(await labels(), ['before', 'My website']);
    assert.equal(await ssoKey(), keyBefore);
  });

  test('restores an installation on an empty machine', async () => {
    const other = mkdtempSync(join(tmpdir(), 'switchboard-cli-'));
    const env = testEnvironment(join(other, 'data'));
    const { code, stderr } = await runCommand(['restore', target()], env);
    assert.equal(code, 0, stderr);
    const restored = await serveInProcess(env);
    const restoredKey = await ssoKey(restored.url);
    await restored.stop();
    rmSync(other, { recursive: true });
    assert.equal(restoredKey, keyBefore);
  });
});

test('the doctor reports no problem, and then an injected one', async () => {
  const healthy = await succeed('doctor');
  assert.match(healthy, /^ok {7}configuration$/m);
  assert.match(healthy, /^ok {7}stored counts of operators and admins/m);
  assert.doesNotMatch(healthy, /PROBLEM/);
  await switchboard.storedData.query('update accounts set operator_count = operator_count + 1');
  const { code, stdout } = await run('doctor');
  assert.equal(code, 1);
  assert.match(stdout, /^PROBLEM {2}stored counts of operators and admins equal a recount\n {9}account 1 stores/m);
  await switchboard.storedData.query('update accounts set operator_count = operator_count - 1');
  await succeed('doctor');
});

test('what a migration leaves for later is listed by doctor and backup, and is not a problem', async () => {
  await switchboard.storedData.query(
    `insert into migration_work (name, migration, kind, pass, after_key, changed_rows, not_before)
      values ('some-fill', '9999-later', 'fill', 2, null, 12345, 1800000000000)`,
  );
  const line = 'fill some-fill: 12,345 rows changed, second pass after 2027-01-15T08:00:00.000Z';
  const output = await succeed('doctor');
  assert.ok(output.includes(`later    ${line}; the service does it while it runs\n`), output);
  if (!EMBEDDED_ONLY.skip)
    assert.ok((await succeed(`backup ${join(folder, 'unfinished')}`)).includes(`In the backup: ${line}.`));
  await switchboard.storedData.query('delete from migration_work');
});

test('with two accounts commands require --account', async () => {
  const output = await succeed('account create --name Second --email second@example.com', 'the second admin of all\n');
  const { body } = await restClient(switchboard.url, extractKey(output)).get('/operator?full=1');
  assert.deepEqual(
    body.data.map(({ email }: { email: string }) => email),
    ['second@example.com'],
  );
  assert.match(await succeed('account list'), /^1 +Switchboard\n2 +Second$/m);
  assert.equal(await statusFor(extractKey(await succeed('key create --name other --account 2'))), 200);
  assert.doesNotMatch(await succeed('key list --account 2'), /reader/);
  await refuseAll([
    ['key list', /^There are 2 accounts. Add one of:\n {2}--account 1 {3}\S.*\n {2}--account 2 {3}\S/],
    ['key create --name x', /--account/],
    ['operator create --email b@example.com --name x', /--account/, 'a good long password\n'],
    ['account create --name Third --email second@example.com', /email/, 'a good long password\n'],
    ['account create --name Third --email third@example.com', /password/, 'short\n'],
    ['account create --name= --email third@example.com', /name/, 'a good long password\n'],
    ['account create --name Third', /--email/],
  ]);
  assert.doesNotMatch(await succeed('account list'), /Third/, 'a refused account leaves nothing behind');
});

test(
  'in an empty folder there is nothing to back up or check, and the demo data is added once',
  EMBEDDED_ONLY,
  async () => {
    const empty = mkdtempSync(join(tmpdir(), 'switchboard-cli-'));
    const env = testEnvironment(empty);
    const checked = await runCommand(['doctor'], env);
    assert.equal(checked.code, 0);
    assert.match(checked.stdout, /does not exist yet/);
    assert.equal((await runCommand(['backup', join(empty, 'b')], env)).code, 1);
    assert.match((await runCommand(['key', 'list'], env)).stderr, /There is no database at/);
    assert.ok(!existsSync(join(empty, 'switchboard.db')), 'a read-only command creates nothing');
    const first = await runCommand(['demo'], env);
    assert.match(first.stdout, /Added 40 demo operators/, first.stderr);
    const second = await runCommand(['demo'], env);
    assert.equal(second.code, 0);
    assert.match(second.stdout, /already/);
    assert.equal((await runCommand(['doctor'], env)).code, 0);
    assert.ok(existsSync(join(empty, 'secret')));
    rmSync(empty, { recursive: true });
  },
);

test('without a command, or with an unknown one, the help is shown and nothing starts', WITHOUT_DATABASE, async () => {
  const env = testEnvironment(mkdtempSync(join(tmpdir(), 'switchboard-cli-')));
  for (const args of [[], ['sreve']]) {
    const { code, stderr } = await runCommand(args, env);
    assert.equal(code, 1);
    assert.match(stderr, /node src\/main\.ts --help|Usage: node src\/main\.ts/);
  }
  assert.match((await runCommand(['--version'], env)).stdout, /^\d+\.\d+\.\d+/);
});
