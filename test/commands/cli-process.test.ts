import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, before, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { askNewPassword } from '../../src/commands/prompt.ts';
import { tryLogin } from '../support/clients/oauth.ts';
import { storedAt } from '../support/databases/stored.ts';
import { spawnOwn } from '../support/processes/own-processes.ts';
import { serveInProcess } from '../support/processes/served.ts';
import { environment, runCommand, runCommandProcess } from '../support/processes/switchboard.ts';
import { terminalWith } from '../support/processes/terminal.ts';
import { until } from '../support/waiting/until.ts';

/** What only a process has. The commands themselves are tested in the process of the tests. */
const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

let folder: string;
let env: Record<string, string>;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-process-'));
  env = environment(join(folder, 'data'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('all that a command makes is for its user alone', async () => {
  const { code, stdout, stderr } = await runCommandProcess(['demo'], env);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^Added 40 demo operators\.$/m);
  const made = readdirSync(join(folder, 'data'));
  assert.ok(made.includes('switchboard.db') && made.includes('secret'), made.join());
  for (const file of made) assert.equal(statSync(join(folder, 'data', file)).mode & 0o077, 0, file);
});

test('the exit code of a command that fails reaches the shell, and its words standard error', async () => {
  const { code, stdout, stderr } = await runCommandProcess(['key', 'revoke', '9999'], env);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /^Unknown 'api_key' with 'id' 9999/);
  const unknown = await runCommandProcess(['key', 'frobnicate'], env);
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /unknown command 'frobnicate'/);
});

test('a password may come through a pipe', async () => {
  const args = ['operator', 'create', '--email', 'piped@example.com', '--name', 'Piped'];
  const { code, stderr } = await runCommandProcess(args, env, 'a password out of a pipe\n');
  assert.deepEqual([code, stderr], [0, '']);
  await assertLogin('piped@example.com', 'a password out of a pipe');
});

test('a long output is not cut off by a slow reader', async () => {
  await storedAt(env.DATABASE_URL ?? '').rows(`
    with recursive n (i) as (select 100 union all select i + 1 from n where i < 6000)
    insert into api_keys (account_id, id, name, prefix, key_hash, access, created_at)
      select 1, i, 'key ' || i || ' of a long list', 'sb_' || i, 'hash ' || i, 'read', 1 from n returning id`);
  const expected = (await runCommand(['key', 'list'], env)).stdout;
  assert.ok(expected.length > 400_000, 'more than a pipe and its reader hold');
  const child = spawnOwn(process.execPath, [MAIN, 'key', 'list'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await until('it has begun to write', () => child.stdout.readableLength > 0 || child.exitCode !== null);
  let read = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) read += chunk;
  assert.equal(read, expected);
});

/** Writes the address of every module that is loaded to standard error. */
const SHOW_MODULES = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    load(url, context, next) {
      process.stderr.write(url + '\\n');
      return next(url, context);
    },
  });
`)}`;

test('a command loads what it needs, and not the HTTP server', async () => {
  const modulesOf = async (args: readonly string[]) =>
    (await runCommandProcess(args, { ...env, NODE_OPTIONS: `--import=${SHOW_MODULES}` })).stderr;
  const [help, list] = await Promise.all([modulesOf(['--help']), modulesOf(['key', 'list'])]);
  assert.match(list, /src\/app\/installation\.ts$/m, 'modules are shown');
  assert.doesNotMatch(list, /src\/app\/server\.ts|node_modules\/(fastify|graphql)\//);
  assert.doesNotMatch(help, /src\/(app\/installation|config)\.ts|node_modules\/(zod|kysely)\//);
});

test('a terminal shows nothing of a password, however early it is typed', async () => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, isRaw: false, setRawMode });
  function setRawMode(raw: boolean) {
    stdin.isRaw = raw;
  }
  const hidden: boolean[] = [];
  const { terminal } = terminalWith({}, '', { isTTY: true });
  const stderr = { write: (text: string) => text.endsWith(': ') && hidden.push(stdin.isRaw) };
  const asked = askNewPassword({ ...terminal, stdin, stderr });
  stdin.write('typed in advance\rtyped in advance\r');
  assert.equal(await asked, 'typed in advance');
  assert.deepEqual(hidden, [true, true]);
  assert.equal(stdin.isRaw, false, 'the terminal is left as it was');
});

const NO_SCRIPT = process.platform !== 'linux' || !existsSync('/usr/bin/script');

suite('at a real terminal', { skip: NO_SCRIPT && 'there is no program that makes one' }, () => {
  const args = 'operator create --email typed@example.com --name Typed';

  /** What a person sees, and a way to type. */
  function atTerminal(line: string) {
    const command = `'${process.execPath}' '${MAIN}' ${line}`;
    const child = spawnOwn('/usr/bin/script', ['-qec', command, '/dev/null'], { env });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const seen = { text: '' };
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      seen.text += chunk;
    });
    const answer = async (question: string, typed: string) => {
      await until(`it asks: ${question}`, () => seen.text.endsWith(question) || child.exitCode !== null);
      child.stdin.write(typed);
    };
    return { seen, answer, ended };
  }

  test('a password is typed twice, unseen', async () => {
    const { seen, answer, ended } = atTerminal(args);
    await answer('New password (10 to 200 characters): ', 'typed by a person\r');
    await answer('Once more: ', 'typed by a person\r');
    assert.equal(await ended, 0, seen.text);
    assert.match(seen.text, /^Operator \d+ is made: typed@example\.com\r$/m);
    assert.doesNotMatch(seen.text, /typed by a person/);
    await assertLogin('typed@example.com', 'typed by a person');
  });

  test('two that differ are refused', async () => {
    const { seen, answer, ended } = atTerminal('operator password typed@example.com');
    await answer('New password (10 to 200 characters): ', 'another by a person\r');
    await answer('Once more: ', 'a slip by a person\r');
    assert.equal(await ended, 1, seen.text);
    assert.match(seen.text, /The two were not the same\. Nothing was changed\./);
  });

  for (const [key, typed] of Object.entries({ 'Ctrl+C': '\u0003', 'Ctrl+D': '\u0004' }))
    test(`${key} at the question changes nothing`, async () => {
      const { seen, answer, ended } = atTerminal('operator password typed@example.com');
      await answer('New password (10 to 200 characters): ', typed);
      assert.equal(await ended, 1, seen.text);
      assert.match(seen.text, /Nothing was changed\./);
      await assertLogin('typed@example.com', 'typed by a person');
    });
});

async function assertLogin(email: string, password: string): Promise<void> {
  const served = await serveInProcess(env);
  const { status } = await tryLogin(served.url, email, password);
  await served.stop();
  assert.equal(status, 200);
}
