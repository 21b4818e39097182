// Runs the checks and every test, or only the test files that are named; what begins with `--` is an option of Node's test
// runner. A run always ends with its summary.
import { type ChildProcess, spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { openRunDatabase } from '../test/support/databases/run-database.ts';
import { childrenOf, signal } from '../test/support/processes/child-processes.ts';
import { COMPILE_CACHE } from '../test/support/processes/switchboard.ts';
import { runCheck } from './check.ts';

/** These limits are for what hangs, and far from what a loaded machine takes. */
const MAX_TEST_MS = Number(process.env.TEST_LONGEST_MS ?? 10 * 60_000);
const MAX_FILE_MS = Number(process.env.TEST_FILE_LONGEST_MS ?? 30 * 60_000);
const LOOK_EVERY_MS = 2000;

/** Each file of these folders has a separate process, as it starts and kills others. The other folders share one each: test/together. */
const ALONE = ['fault', 'nodes', 'differential', 'simulate', 'deploy', 'browser', 'scripts'];
const ALL = ['test/together/*.test.ts', ...ALONE.map((folder) => `test/${folder}/*.test.ts`)];

async function runTests(patterns: readonly string[]): Promise<number> {
  const options = patterns.filter((pattern) => pattern.startsWith('--'));
  const files = new Set<string>();
  for (const pattern of patterns.filter((each) => !each.startsWith('--'))) {
    const found = globSync(pattern).sort();
    if (found.length === 0) {
      console.error(`There is no test file ${pattern}.`);
      return 1;
    }
    for (const file of found) files.add(file);
  }
  const database = await openRunDatabase(process.env.TEST_DATABASE_URL);
  const args = [
    '--test',
    `--import=${new URL('../test/support/processes/end-of-file.ts', import.meta.url)}`,
    `--test-timeout=${MAX_TEST_MS}`,
    `--test-concurrency=${process.env.TEST_CONCURRENCY ?? availableParallelism() + 1}`, // some of them always wait
    '--test-reporter=./scripts/test-reporter.ts',
    '--test-reporter-destination=stdout',
    ...options,
    ...files,
  ];
  const env = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env, TEST_DATABASE_URL: database.url };
  const runner = spawn(process.execPath, args, { stdio: 'inherit', env });
  const watch = setInterval(() => endHanging(runner), LOOK_EVERY_MS);
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => runner.kill(name));
  const code = await new Promise<number>((resolve) => runner.once('exit', (status) => resolve(status ?? 1)));
  clearInterval(watch);
  await database.end();
  return code;
}

const seenSince = new Map<number, number>();

/** A file that hangs outside of its tests, or never lets go of the processor, is ended from here; its run goes on without it. */
function endHanging({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  const now = performance.now();
  const running = childrenOf(pid);
  for (const child of seenSince.keys()) if (!running.includes(child)) seenSince.delete(child);
  for (const child of running) {
    const since = seenSince.get(child) ?? now;
    seenSince.set(child, since);
    if (now - since > MAX_FILE_MS) signal(child, 'SIGKILL');
  }
}

const named = process.argv.slice(2);
const isAll = named.every((each) => each.startsWith('--'));
const isReady = named.length > 0 || runCheck();
process.exitCode = isReady ? await runTests(isAll ? [...ALL, ...named] : named) : 1;
