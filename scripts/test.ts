// Runs the checks and all tests, or only the given test files. Arguments that start with `--` are passed to Node's test
// runner. Every run ends with a summary.
import { type ChildProcess, spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { openRunDatabase } from '../test/support/databases/run-database.ts';
import { childPidsOf, sendSignal } from '../test/support/processes/child-processes.ts';
import { COMPILE_CACHE } from '../test/support/processes/switchboard.ts';
import { runCheck } from './check.ts';

/** Only hanging tests reach these limits, even on a loaded machine. */
const MAX_TEST_MS = Number(process.env.TEST_LONGEST_MS ?? 10 * 60_000);
const MAX_FILE_MS = Number(process.env.TEST_FILE_LONGEST_MS ?? 30 * 60_000);
const CHECK_INTERVAL_MS = 2000;

/** Files here start and kill processes, so each has a separate process. Other folders share one each: test/together. */
const SEPARATE_PROCESS_FOLDERS = ['fault', 'nodes', 'differential', 'simulate', 'deploy', 'scripts'];
const ALL_PATTERNS = [
  'test/together/*.test.ts',
  ...SEPARATE_PROCESS_FOLDERS.map((folder) => `test/${folder}/*.test.ts`),
];

async function runTests(patterns: readonly string[]): Promise<number> {
  const options = patterns.filter((pattern) => pattern.startsWith('--'));
  const files = new Set<string>();
  for (const pattern of patterns.filter((each) => !each.startsWith('--'))) {
    const found = globSync(pattern).sort();
    if (found.length === 0) {
      console.error(`No test file matches ${pattern}.`);
      return 1;
    }
    for (const file of found) files.add(file);
  }
  const database = await openRunDatabase(process.env.TEST_DATABASE_URL);
  const args = [
    '--test',
    `--import=${new URL('../test/support/processes/exit-after-tests.ts', import.meta.url)}`,
    `--test-timeout=${MAX_TEST_MS}`,
    `--test-concurrency=${process.env.TEST_CONCURRENCY ?? availableParallelism() + 1}`, // some files are always waiting
    '--test-reporter=./scripts/test-reporter.ts',
    '--test-reporter-destination=stdout',
    ...options,
    ...files,
  ];
  const env = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env, TEST_DATABASE_URL: database.url };
  const runner = spawn(process.execPath, args, { stdio: 'inherit', env });
  const timer = setInterval(() => killHangingFiles(runner), CHECK_INTERVAL_MS);
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => runner.kill(name));
  const code = await new Promise<number>((resolve) => runner.once('exit', (status) => resolve(status ?? 1)));
  clearInterval(timer);
  await database.stop();
  return code;
}

const runningSince = new Map<number, number>();

/** Kills files that hang outside of their tests or block the event loop; the run continues without them. */
function killHangingFiles({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  const now = performance.now();
  const running = childPidsOf(pid);
  for (const child of runningSince.keys()) if (!running.includes(child)) runningSince.delete(child);
  for (const child of running) {
    const since = runningSince.get(child) ?? now;
    runningSince.set(child, since);
    if (now - since > MAX_FILE_MS) sendSignal(child, 'SIGKILL');
  }
}

const args = process.argv.slice(2);
const runsAllTests = args.every((each) => each.startsWith('--'));
const isReady = args.length > 0 || runCheck();
process.exitCode = isReady ? await runTests(runsAllTests ? [...ALL_PATTERNS, ...args] : args) : 1;
