import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findFiles } from '../../scripts/test-run/files.ts';
import { isRunning } from '../support/processes/child-processes.ts';
import { spawnGuarded } from '../support/processes/guarded-processes.ts';
import { waitUntil } from '../support/waiting/wait.ts';

const SCRIPT = fileURLToPath(new URL('../../scripts/test.ts', import.meta.url));
const SUPPORT = new URL('../support/processes/', import.meta.url);

/** Test files that are broken in different ways. */
const BROKEN = {
  'leaves-a-process': `
    import { writeFileSync } from 'node:fs';
    import { spawnGuarded } from '${SUPPORT}guarded-processes.ts';
    test('leaves a process behind', () => {
      const { pid } = spawnGuarded('sleep', ['3600'], { stdio: ['ignore', 'pipe', 'pipe'] });
      writeFileSync(PID, String(pid));
      throw new Error('broken');
    });`,
  'never-ends': `
    test('never ends', { timeout: 1000 }, () => new Promise(() => setInterval(() => undefined, 1000)));
    test('runs after it', () => undefined);`,
  'hangs-outside': `
    await new Promise(() => setInterval(() => undefined, 1000));
    test('is never reached', () => undefined);`,
};

test('a run with a leaked process, a test that never ends and a file that hangs fails, and terminates', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-broken-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const pidFile = join(folder, 'pid');
  const files = Object.entries(BROKEN).map(([name, body]) => {
    const file = join(folder, `${name}.test.mjs`);
    writeFileSync(file, `import { test } from 'node:test';\nconst PID = ${JSON.stringify(pidFile)};\n${body}\n`);
    return file;
  });
  const { NODE_TEST_CONTEXT: _, ...env } = process.env; // else the run acts as a child of this one
  const run = spawnGuarded(process.execPath, [SCRIPT, ...files], {
    env: { ...env, TEST_DATABASE_URL: '', TEST_FILE_LONGEST_MS: '20000' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = new Promise((resolve) => run.once('exit', resolve));
  const output = await text(run.stdout);
  assert.equal(await exit, 1, output);
  assert.match(output, /^ℹ pass 1$/m, output);
  assert.match(output, /✖ never ends/);
  assert.match(output, /✖ .*hangs-outside/);
  assert.match(output, /^ℹ duration_ms /m);
  assert.match(output, /^ℹ processor time: /m);
  assert.match(output, /npm test -- \S+never-ends\.test\.mjs --test-name-pattern='never ends'$/m);
  assert.match(output, /npm test -- \S+hangs-outside\.test\.mjs$/m);
  const pid = Number(readFileSync(pidFile, 'utf8'));
  await waitUntil('the leaked process has exited', () => !isRunning(pid));
});

test('what cannot be run is said at once', () => {
  const run = (...args: string[]) => spawnSync(process.execPath, [SCRIPT, ...args], { encoding: 'utf8' });
  const unknownFile = run('no-such-test');
  assert.deepEqual([unknownFile.status, unknownFile.stderr], [1, 'No test file matches no-such-test.\n']);
  const unknownOption = run('--no-such-option');
  assert.equal(unknownOption.status, 2);
  assert.match(unknownOption.stderr, /--no-such-option[\s\S]*npm test -- --help/);
  assert.match(run('--help').stdout, /npm test -- desk widget/);
});

test('words name the files whose path contains them', () => {
  assert.deepEqual(findFiles(['test/scripts/test-run.test.ts', 'scripts/test-run.']), [
    'test/scripts/test-run.test.ts',
  ]);
  assert.ok(findFiles(['test/storage/postgres']).length > 1);
});
