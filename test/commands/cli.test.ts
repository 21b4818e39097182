import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { checkToken, logIn, tryLogin } from '../support/clients/oauth.ts';
import { restClient } from '../support/clients/rest.ts';
import { onPostgres } from '../support/databases/postgres-database.ts';
import { serveInProcess } from '../support/processes/served.ts';
import {
  environment,
  runCommand,
  type SwitchboardProcess,
  startSwitchboardProcess,
} from '../support/processes/switchboard.ts';
import { until } from '../support/waiting/until.ts';

const DATABASE = 'switchboard.db';

/** What is not done again on PostgreSQL. */
const NO_DATABASE = { skip: onPostgres && 'the terminal, before any database' };
const OF_FILES = { skip: onPostgres && 'the file of the embedded database' };

let folder: string;
let switchboard: SwitchboardProcess;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-cli-'));
  switchboard = await startSwitchboardProcess({ folder });
});
after(async () => {
  await switchboard.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (line: string, input?: string) => switchboard.command(line.split(' '), input);

/** A command that must go well; answers with what it prints. */
async function succeed(line: string, input?: string): Promise<string> {
  const { code, stdout, stderr } = await run(line, input);
  assert.equal(code, 0, `${line}: ${stderr}`);
  assert.equal(stderr, '', line);
  return stdout;
}

/** A command that must be refused: code 1, the reason in plain words and no trace of the program's insides. */
async function refuse(line: string, reason: RegExp, input?: string): Promise<void> {
  const { code, stderr } = await run(line, input);
  assert.equal(code, 1, `${line}: ${stderr}`);
  assert.match(stderr, reason, line);
  assert.doesNotMatch(stderr, /^\s+at /m, line);
}

async function refuseAll(cases: readonly (readonly [line: string, reason: RegExp, input?: string])[]): Promise<void> {
  await Promise.all(cases.map(([line, reason, input]) => refuse(line, reason, input)));
}

const keyIn = (text: string): string => text.match(/sb_[A-Za-z0-9_-]{43}/)?.[0] ?? assert.fail(text);
const statusWith = async (key: string) => (await restClient(switchboard.url, key).get('/operator')).status;

/** A running service may remember a key or a token for a second. */
const untilKeyEnds = (key: string) => until('the key has ended', async () => (await statusWith(key)) === 403);
const untilTokenEnds = (token: string) =>
  until('the token has ended', async () => (await checkToken(switchboard.url, token)).status === 401);

test('every command explains itself', NO_DATABASE, async () => {
  const commands = ['', 'serve', 'demo', 'key', 'key create', 'key list', 'key revoke', 'operator', 'operator create'];
  commands.push('operator password', 'account', 'account create', 'account list', 'backup', 'restore', 'doctor');
  commands.push('webhook', 'webhook add', 'webhook pause', 'webhook replay');
  await Promise.all(
    commands.map(async (command) => {
      const text = await succeed(`${command} --help`.trim());
      assert.ok(text.startsWith(`Usage: switchboard${command && ` ${command}`}`), text);
    }),
  );
});

test('a command or an option that does not exist is refused', NO_DATABASE, () =>
  refuseAll([
    ['frobnicate', /frobnicate|too many arguments/],
    ['key frobnicate', /unknown command 'frobnicate'/],
    ['key list --frobnicate', /unknown option '--frobnicate'/],
    ['serve --port abc', /PORT must be a port number/],
    ['backup', /missing required argument/],
  ]),
);

suite('keys', () => {
  test('are made for reading or writing, and work at once', async () => {
    const reader = keyIn(await succeed('key create --name reader'));
    const writer = keyIn(await succeed('key create --name writer --access write'));
    assert.equal(await statusWith(reader), 200);
    const write = (key: string) => restClient(switchboard.url, key).post('/group', { name: 'Made by a key' });
    assert.equal((await write(reader)).status, 403);
    assert.equal((await write(writer)).status, 201);
  });

  test('are listed without their secret', async () => {
    const inDays = (days: number) => new Date(Date.now() + days * 24 * 3600 * 1000).toISOString().slice(0, 10);
    const soonest = inDays(30);
    const key = keyIn(await succeed('key create --name listed --days 30'));
    const latest = inDays(30); // it may be past midnight by now
    const list = await succeed('key list');
    const line = list.split('\n').find((text) => text.includes('listed')) ?? assert.fail(list);
    assert.ok(line.includes(`${key.slice(0, 8)}…`), line);
    assert.ok(line.includes(soonest) || line.includes(latest), `${line} does not end on ${latest}`);
    assert.doesNotMatch(list, /sb_[A-Za-z0-9_-]{10}/);
    assert.ok(!list.includes(switchboard.key));
  });

  test('once revoked they stop working on the running service', async () => {
    const made = await succeed('key create --name leaving');
    const id = made.match(/^Key (\d+)/)?.[1];
    assert.equal(await statusWith(keyIn(made)), 200);
    await succeed(`key revoke ${id}`);
    await untilKeyEnds(keyIn(made));
    await refuse(`key revoke ${id}`, new RegExp(`Unknown 'api_key' with 'id' ${id}`));
  });

  test('once expired as well', async () => {
    const key = keyIn(await succeed('key create --name ageing --days 1'));
    assert.equal(await statusWith(key), 200);
    await switchboard.stored.rows("update api_keys set expires_at = ? where name = 'ageing'", Date.now());
    await untilKeyEnds(key);
  });

  test('bad input is refused', NO_DATABASE, () =>
    refuseAll([
      ['key create', /--name/],
      ['key create --name x --access admin', /read, write/],
      ['key create --name x --days 0', /--days must be a whole number/],
      ['key create --name x --days 1.5', /--days must be a whole number/],
      ['key create --name x --days 999999999999', /--days must be a whole number/],
      ['key create --name x --account 99', /There is no account 99/],
      ['key create --name x --account abc', /There is no account/],
      ['key create --name=', /name/],
      ['key revoke abc', /abc is not the number of a key/],
      ['key revoke 9999', /Unknown 'api_key' with 'id' 9999/],
    ]),
  );
});

suite('operators', () => {
  test('are made with the password that comes in', async () => {
    const line = 'operator create --email cli@example.com --name Line --first-name Command --roles manager,operator';
    assert.match(await succeed(line, 'typed at the terminal\n'), /^Operator \d+ is made: cli@example\.com$/m);
    assert.equal((await tryLogin(switchboard.url, 'cli@example.com', 'typed at the terminal')).status, 200);
    const { body } = await restClient(switchboard.url, switchboard.key).get(
      '/operator?full=1&filters[email]=cli@example.com',
    );
    assert.equal(body.data[0].first_name, 'Command');
    assert.deepEqual(body.data[0].roles, ['manager', 'operator']);
    await refuse(line, /email/, 'typed at the terminal\n');
  });

  test('get a new password, which ends their tokens', async () => {
    const user = { email: 'forgetful@example.com', password: 'the old password of mine' };
    await succeed(`operator create --email ${user.email} --name Forgetful`, user.password);
    const token = await logIn(switchboard.url, user);
    await succeed('operator password Forgetful@Example.com', 'the new password of mine\n');
    await untilTokenEnds(token);
    assert.equal((await tryLogin(switchboard.url, user.email, user.password)).status, 400);
    assert.equal((await tryLogin(switchboard.url, user.email, 'the new password of mine')).status, 200);
  });

  test('bad input is refused', NO_DATABASE, () =>
    refuseAll([
      ['operator create --name x', /--email/],
      ['operator create --email no-address --name x', /email must/, 'a good long password\n'],
      ['operator create --email a@example.com --name x --roles king', /roles/, 'a good long password\n'],
      ['operator create --email a@example.com --name x', /password must have at least 10/, 'short\n'],
      ['operator create --email a@example.com --name x', /commonest/, 'qwertyuiop\n'],
      ['operator create --email a@example.com --name x', /password is expected on standard input/, ''],
      ['operator password nobody@example.com', /no operator with the e-mail nobody/, 'a good long password\n'],
      ['operator password admin@example.com', /password must have at least 10/, 'xk7 q\n'],
    ]),
  );
});

suite('a backup', OF_FILES, () => {
  const target = () => join(folder, 'backup');
  const rest = () => restClient(switchboard.url, switchboard.key);
  const ssoKey = async (url = switchboard.url) =>
    (await restClient(url, switchboard.key).get('/operator/1')).body.data.sso_key as string;
  const labels = async () =>
    (await rest().get('/website?full=1')).body.data.map(({ label }: { label: string }) => label);
  let keyBefore: string;

  test('is made while the service runs', async () => {
    keyBefore = await ssoKey();
    assert.ok(keyBefore);
    await rest().post('/website', { url: 'https://before.example.com', label: 'before' });
    assert.match(await succeed(`backup ${target()}`), /The backup is in/);
    for (const file of [DATABASE, 'secret']) assert.equal(statSync(join(target(), file)).mode & 0o077, 0, file);
    await rest().post('/website', { url: 'https://after.example.com', label: 'after' });
    await refuse(`backup ${target()}`, /exists already/);
    await refuse(`restore ${target()} --force`, /The service is running/);
  });

  test('that is none, or is damaged, is refused, and the database stays', async () => {
    await switchboard.stop();
    const kept = await switchboard.stored.everyRow();
    mkdirSync(join(folder, 'nothing'));
    await refuse(`restore ${join(folder, 'nothing')} --force`, /is not a backup/);
    const damaged = join(folder, 'damaged');
    cpSync(target(), damaged, { recursive: true });
    truncateSync(join(damaged, DATABASE), 40_000);
    await refuse(`restore ${damaged} --force`, /damaged|malformed/);
    await refuse(`restore ${target()}`, /Use --force to replace it/);
    assert.equal(await switchboard.stored.everyRow(), kept);
    assert.ok(kept.includes('after.example.com'));
  });

  test('is restored when the service is stopped', async () => {
    assert.match(await succeed(`restore ${target()} --force`), /The old one is kept as/);
    assert.ok(readdirSync(folder).some((file) => /before-restore.*Z$/.test(file)));
    switchboard = await startSwitchboardProcess({ folder });
    assert.deepEqual(await labels(), ['before']);
    assert.equal(await ssoKey(), keyBefore);
  });

  test('brings an installation back on an empty machine', async () => {
    const other = mkdtempSync(join(tmpdir(), 'switchboard-cli-'));
    const env = environment(join(other, 'data'));
    const { code, stderr } = await runCommand(['restore', target()], env);
    assert.equal(code, 0, stderr);
    const restored = await serveInProcess(env);
    const keyThere = await ssoKey(restored.url);
    await restored.stop();
    rmSync(other, { recursive: true });
    assert.equal(keyThere, keyBefore);
  });
});

test('the doctor finds nothing wrong, and then what is', async () => {
  const healthy = await succeed('doctor');
  assert.match(healthy, /^ok {7}configuration$/m);
  assert.match(healthy, /^ok {7}kept counts of operators and admins/m);
  assert.doesNotMatch(healthy, /PROBLEM/);
  await switchboard.stored.rows('update accounts set operator_count = operator_count + 1');
  const { code, stdout } = await run('doctor');
  assert.equal(code, 1);
  assert.match(stdout, /^PROBLEM {2}kept counts of operators and admins equal a recount\n {9}account 1 keeps/m);
  await switchboard.stored.rows('update accounts set operator_count = operator_count - 1');
  await succeed('doctor');
});

test('a second account: commands ask which one is meant', async () => {
  const made = await succeed('account create --name Second --email second@example.com', 'the second admin of all\n');
  const { body } = await restClient(switchboard.url, keyIn(made)).get('/operator?full=1');
  assert.deepEqual(
    body.data.map(({ email }: { email: string }) => email),
    ['second@example.com'],
  );
  assert.match(await succeed('account list'), /^1 +Switchboard\n2 +Second$/m);
  assert.equal(await statusWith(keyIn(await succeed('key create --name other --account 2'))), 200);
  assert.doesNotMatch(await succeed('key list --account 2'), /reader/);
  await refuseAll([
    ['key list', /There are 2 accounts: say which one with --account/],
    ['key create --name x', /--account/],
    ['operator create --email b@example.com --name x', /--account/, 'a good long password\n'],
    ['account create --name Third --email second@example.com', /email/, 'a good long password\n'],
    ['account create --name Third --email third@example.com', /password/, 'short\n'],
    ['account create --name= --email third@example.com', /name/, 'a good long password\n'],
    ['account create --name Third', /--email/],
  ]);
  assert.doesNotMatch(await succeed('account list'), /Third/, 'a refused account leaves nothing behind');
});

test('on an empty folder: nothing to back up or to examine, and the demo is added once', OF_FILES, async () => {
  const empty = mkdtempSync(join(tmpdir(), 'switchboard-cli-'));
  const env = environment(empty);
  const examined = await runCommand(['doctor'], env);
  assert.equal(examined.code, 0);
  assert.match(examined.stdout, /does not exist yet/);
  assert.equal((await runCommand(['backup', join(empty, 'b')], env)).code, 1);
  assert.match((await runCommand(['key', 'list'], env)).stderr, /There is no database at/);
  assert.ok(!existsSync(join(empty, 'switchboard.db')), 'a command that only looks makes nothing');
  const first = await runCommand(['demo'], env);
  assert.match(first.stdout, /Added 40 demo operators/, first.stderr);
  const second = await runCommand(['demo'], env);
  assert.equal(second.code, 0);
  assert.match(second.stdout, /already/);
  assert.equal((await runCommand(['doctor'], env)).code, 0);
  assert.ok(existsSync(join(empty, 'secret')));
  rmSync(empty, { recursive: true });
});

test('without a command, or with a wrong one, the help is shown and nothing is started', NO_DATABASE, async () => {
  const env = environment(mkdtempSync(join(tmpdir(), 'switchboard-cli-')));
  for (const args of [[], ['sreve']]) {
    const { code, stderr } = await runCommand(args, env);
    assert.equal(code, 1);
    assert.match(stderr, /switchboard --help|Usage: switchboard/);
  }
  assert.match((await runCommand(['--version'], env)).stdout, /^\d+\.\d+\.\d+/);
});
