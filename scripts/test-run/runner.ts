// Runs test files, a process each, and reports them. `scripts/test.ts` starts it.
import { appendFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { run } from 'node:test';
import { readTreeTime } from '../../test/support/processes/processor-time.ts';
import { RECORD_VARIABLE, readProcessorTimes } from '../../test/support/processes/processor-time-record.ts';
import { createReporter } from './reporter.ts';
import { describeTimes, findExceededBudgets } from './summary.ts';

/** What `scripts/test.ts` passes. */
export interface RunPlan {
  readonly files: readonly string[];
  readonly namePattern?: string;
  readonly longestTestMs: number;
  /** Of long tests, which end with one line of figures. */
  readonly title?: string;
  /** The server that the run has started. */
  readonly postgresPid?: number;
  /** What stands in the last lines, for example that tests were left out. */
  readonly notes: readonly string[];
  /** Whether a run that takes too much processor time fails. */
  readonly enforcesBudgets: boolean;
}

const plan: RunPlan = JSON.parse(process.argv[2] ?? '');
const record = process.env[RECORD_VARIABLE] ?? '';

const tests = run({
  files: [...plan.files],
  concurrency: Number(process.env.TEST_CONCURRENCY ?? availableParallelism() + 2), // some files are always waiting
  ...(plan.namePattern !== undefined && { testNamePatterns: [plan.namePattern] }),
  execArgv: [
    '--max-semi-space-size=64', // tests make much garbage: with the default it takes a tenth of their processor time
    '--min-semi-space-size=32',
    `--import=${new URL('../../test/support/processes/test-process.ts', import.meta.url)}`,
    `--test-timeout=${plan.longestTestMs}`,
  ],
});
tests.on('test:fail', () => {
  process.exitCode = 1;
});
tests.compose(createReporter(describeRun, plan.title)).pipe(process.stdout);

function describeRun(duration: ReadonlyMap<string, number>): string[] {
  if (plan.postgresPid !== undefined && process.platform === 'linux')
    appendFileSync(
      record,
      `${JSON.stringify({ file: 'PostgreSQL', seconds: readTreeTime(plan.postgresPid) / 1e6 })}\n`,
    );
  const processor = readProcessorTimes(record);
  const exceeded = plan.enforcesBudgets ? findExceededBudgets(processor) : [];
  if (exceeded.length > 0) process.exitCode = 1;
  return [...describeTimes(duration, processor), ...exceeded, ...plan.notes];
}
