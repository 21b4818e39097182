// Runs the checks and all tests, or only some test files: `npm test -- --help`. Every run ends with a summary.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { provideBrowser } from '../test/support/browser/install-browser.ts';
import { DATA_FOLDER_VARIABLE, findDataFolder } from '../test/support/databases/data-folder.ts';
import { openRunDatabase } from '../test/support/databases/run-database.ts';
import { childPidsOf, sendSignal } from '../test/support/processes/child-processes.ts';
import { COMPILE_CACHE } from '../test/support/processes/compile-cache.ts';
import {
  RECORD_VARIABLE,
  readOwnSeconds,
  recordProcessorTime,
} from '../test/support/processes/processor-time-record.ts';
import { runCheck } from './check.ts';
import { findFiles, listAllFiles, NoSuchFiles, needsBrowser } from './test-run/files.ts';
import { readTestOptions, type TestOptions } from './test-run/options.ts';
import type { RunPlan } from './test-run/runner.ts';

/** Only hanging tests reach these limits, even on a loaded machine. */
const MAX_TEST_MS = Number(process.env.TEST_LONGEST_MS ?? 10 * 60_000);
const MAX_FILE_MS = Number(process.env.TEST_FILE_LONGEST_MS ?? 30 * 60_000);
const CHECK_INTERVAL_MS = 2000;

async function runTests(files: readonly string[], { namePattern, usesBrowser, words }: TestOptions): Promise<number> {
  const hasBrowserTests = files.some(needsBrowser);
  const missing = hasBrowserTests && usesBrowser ? await provideBrowser() : undefined;
  const notes = [
    ...(missing === undefined ? [] : [`FAILED: the browser tests need a browser, and ${missing}`]),
    ...(hasBrowserTests && !usesBrowser ? ['The browser tests were left out: --no-browser'] : []),
  ];
  const database = await openRunDatabase(process.env.TEST_DATABASE_URL);
  const plan: RunPlan = {
    ...{ files, notes, longestTestMs: MAX_TEST_MS },
    ...(namePattern !== undefined && { namePattern }),
    ...(process.env.TEST_RUN_TITLE && { title: process.env.TEST_RUN_TITLE }),
    ...(database.pid !== undefined && { postgresPid: database.pid }),
    enforcesBudgets: process.env.CI === 'true' && words.length === 0,
  };
  const runner = spawn(process.execPath, [join(import.meta.dirname, 'test-run/runner.ts'), JSON.stringify(plan)], {
    stdio: 'inherit',
    env: {
      ...{ NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env, TEST_DATABASE_URL: database.url },
      ...((missing !== undefined || !usesBrowser) && { NO_BROWSER: '1' }),
    },
  });
  const timer = setInterval(() => killHangingFiles(runner), CHECK_INTERVAL_MS);
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => runner.kill(name));
  const code = await new Promise<number>((resolve) => runner.once('exit', (status) => resolve(status ?? 1)));
  clearInterval(timer);
  await database.stop();
  return missing === undefined ? code : 1;
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

const options = readTestOptions(process.argv.slice(2));
if (options) {
  const folder = mkdtempSync(join(findDataFolder(), 'switchboard-test-run-'));
  process.env[DATA_FOLDER_VARIABLE] = folder;
  process.env[RECORD_VARIABLE] = join(folder, 'processor-time.jsonl');
  writeFileSync(process.env[RECORD_VARIABLE], '');
  try {
    if (options.words.length > 0) process.exitCode = await runTests(findFiles(options.words), options);
    else {
      const start = readOwnSeconds(); // the shell before this program has installed packages
      const hasPassed = await runCheck();
      recordProcessorTime('checks', { start });
      process.exitCode = hasPassed ? await runTests(listAllFiles(), options) : 1;
    }
  } catch (error) {
    if (!(error instanceof NoSuchFiles)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
