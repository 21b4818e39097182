// These tests need a real process. The other command tests run inside the test process.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, before, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { askNewPassword } from '../../src/commands/prompt.ts';
import { tryLogin } from '../support/clients/oauth.ts';
import { openStoredData } from '../support/databases/stored-data.ts';
import { spawnGuarded } from '../support/processes/guarded-processes.ts';
import { serveInProcess } from '../support/processes/in-process-service.ts';
import { runCommand, runCommandProcess, testEnvironment } from '../support/processes/switchboard.ts';
import { createTerminal } from '../support/processes/terminal.ts';
import { waitUntil } from '../support/waiting/wait.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

let folder: string;
let env: Record<string, string>;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-process-'));
  env = testEnvironment(join(folder, 'data'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('files created by a command are readable only by its user', async () => {
  const { code, stdout, stderr } = await runCommandProcess(['demo'], env);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^Added 40 demo operators\.$/m);
  const files = readdirSync(join(folder, 'data'));
  assert.ok(files.includes('switchboard.db') && files.includes('secret'), files.join());
  for (const file of files) assert.equal(statSync(join(folder, 'data', file)).mode & 0o077, 0, file);
});

test('a failing command sets the exit code and prints its message to standard error', async () => {
  const { code, stdout, stderr } = await runCommandProcess(['key', 'revoke', '9999'], env);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /^Unknown 'api_key' with 'id' 9999/);
  const unknown = await runCommandProcess(['key', 'frobnicate'], env);
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /unknown command 'frobnicate'/);
});

test('a password can be piped in', async () => {
  const args = ['operator', 'create', '--email', 'piped@example.com', '--name', 'Piped'];
  const { code, stderr } = await runCommandProcess(args, env, 'a password out of a pipe\n');
  assert.deepEqual([code, stderr], [0, '']);
  await assertLogin('piped@example.com', 'a password out of a pipe');
});

test('long output is not truncated for a slow reader', async () => {
  await openStoredData(env.DATABASE_URL ?? '').query(`
    with recursive n (i) as (select 100 union all select i + 1 from n where i < 6000)
    insert into api_keys (account_id, id, name, prefix, key_hash, access, created_at)
      select 1, i, 'key ' || i || ' of a long list', 'sb_' || i, 'hash ' || i, 'read', 1 from n returning id`);
  const expected = (await runCommand(['key', 'list'], env)).stdout;
  assert.ok(expected.length > 400_000, 'more than the buffers of a pipe and its reader');
  const child = spawnGuarded(process.execPath, [MAIN, 'key', 'list'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await waitUntil('it has started to write', () => child.stdout.readableLength > 0 || child.exitCode !== null);
  let received = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) received += chunk;
  assert.equal(received, expected);
});

/** Prints the URL of every loaded module to standard error. */
const SHOW_MODULES = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    load(url, context, next) {
      process.stderr.write(url + '\\n');
      return next(url, context);
    },
  });
`)}`;

test('a command loads only the modules it needs, not the HTTP server', async () => {
  const loadedModules = async (args: readonly string[]) =>
    (await runCommandProcess(args, { ...env, NODE_OPTIONS: `--import=${SHOW_MODULES}` })).stderr;
  const [help, list] = await Promise.all([loadedModules(['--help']), loadedModules(['key', 'list'])]);
  assert.match(list, /src\/app\/installation\.ts$/m, 'modules are printed');
  assert.doesNotMatch(list, /src\/app\/server\.ts|node_modules\/(fastify|graphql)\//);
  assert.doesNotMatch(help, /src\/(app\/installation|config)\.ts|node_modules\/(zod|kysely)\//);
});

test('a terminal never echoes a password, even if it is typed early', async () => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, isRaw: false, setRawMode });
  function setRawMode(raw: boolean) {
    stdin.isRaw = raw;
  }
  const rawModes: boolean[] = [];
  const { terminal } = createTerminal({}, '', { isTTY: true });
  const stderr = { write: (text: string) => text.endsWith(': ') && rawModes.push(stdin.isRaw) };
  const password = askNewPassword({ ...terminal, stdin, stderr });
  stdin.write('typed in advance\rtyped in advance\r');
  assert.equal(await password, 'typed in advance');
  assert.deepEqual(rawModes, [true, true]);
  assert.equal(stdin.isRaw, false, 'the terminal mode is restored');
});

const isScriptMissing = process.platform !== 'linux' || !existsSync('/usr/bin/script');

suite('at a real terminal', { skip: isScriptMissing && 'requires the program /usr/bin/script' }, () => {
  const args = 'operator create --email typed@example.com --name Typed';

  /** Runs a command in a pseudo-terminal and records its output. */
  function runInTerminal(line: string) {
    const command = `'${process.execPath}' '${MAIN}' ${line}`;
    const child = spawnGuarded('/usr/bin/script', ['-qec', command, '/dev/null'], { env });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const output = { text: '' };
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      output.text += chunk;
    });
    const answerPrompt = async (question: string, typed: string) => {
      await waitUntil(`the prompt ${question}`, () => output.text.endsWith(question) || child.exitCode !== null);
      child.stdin.write(typed);
    };
    return { output, answerPrompt, ended };
  }

  test('a password is typed twice, without echo', async () => {
    const { output, answerPrompt, ended } = runInTerminal(args);
    await answerPrompt('New password (10 to 200 characters): ', 'typed by a person\r');
    await answerPrompt('Repeat the password: ', 'typed by a person\r');
    assert.equal(await ended, 0, output.text);
    assert.match(output.text, /^Created operator \d+: typed@example\.com\r$/m);
    assert.doesNotMatch(output.text, /typed by a person/);
    await assertLogin('typed@example.com', 'typed by a person');
  });

  test('two different passwords are rejected', async () => {
    const { output, answerPrompt, ended } = runInTerminal('operator password typed@example.com');
    await answerPrompt('New password (10 to 200 characters): ', 'another by a person\r');
    await answerPrompt('Repeat the password: ', 'a slip by a person\r');
    assert.equal(await ended, 1, output.text);
    assert.match(output.text, /The passwords do not match\. Nothing was changed\./);
  });

  for (const [key, typed] of Object.entries({ 'Ctrl+C': '\u0003', 'Ctrl+D': '\u0004' }))
    test(`${key} at the prompt changes nothing`, async () => {
      const { output, answerPrompt, ended } = runInTerminal('operator password typed@example.com');
      await answerPrompt('New password (10 to 200 characters): ', typed);
      assert.equal(await ended, 1, output.text);
      assert.match(output.text, /Nothing was changed\./);
      await assertLogin('typed@example.com', 'typed by a person');
    });
});

async function assertLogin(email: string, password: string): Promise<void> {
  const served = await serveInProcess(env);
  const { status } = await tryLogin(served.url, email, password);
  await served.stop();
  assert.equal(status, 200);
}
