// Loaded before every test file.
import { after } from 'node:test';
import { recordProcessorTime } from './processor-time-record.ts';

/** Long enough to report the last results and to finish the suite's own cleanup. */
const EXIT_DELAY_MS = 15_000;

// Resources that a failed test left open must not keep the process alive. The runner's own option for that exits before
// all results are reported.
if (process.env.NODE_TEST_CONTEXT) {
  after(() => void setTimeout(() => process.exit(), EXIT_DELAY_MS).unref());
  process.on('exit', () => recordProcessorTime(process.argv[1] ?? ''));
}
