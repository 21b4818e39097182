import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { readTreeTime } from './processor-time.ts';

/** The file to which the processes of a test run write the processor time of their suites. */
export const RECORD_VARIABLE = 'TEST_PROCESSOR_TIME';

interface Entry {
  readonly file: string;
  /** Of the process that runs the file, or of a suite within it. */
  readonly seconds: number;
  /** The file whose process has run it with others. */
  readonly within?: string;
}

/** Seconds of this process with everything that it has started; 0 on systems without `/proc`. */
export function readOwnSeconds(): number {
  return process.platform === 'linux' ? readTreeTime(process.pid) / 1_000_000 : process.cpuUsage().user / 1_000_000;
}

/** `start`: what `readOwnSeconds` returned before the suite; defaults to the start of the process. */
export function recordProcessorTime(file: string, { start = 0, within }: { start?: number; within?: string } = {}) {
  const record = process.env[RECORD_VARIABLE];
  if (!record) return;
  const seconds = readOwnSeconds() - start;
  const path = (name: string) => relative(process.cwd(), name);
  const entry: Entry = { file: path(file), seconds, ...(within !== undefined && { within: path(within) }) };
  appendFileSync(record, `${JSON.stringify(entry)}\n`);
}

/** The seconds of each test file; those of a process without its suites count for the file that starts them. */
export function readProcessorTimes(record: string): Map<string, number> {
  const entries = readFileSync(record, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Entry => JSON.parse(line));
  const seconds = new Map<string, number>();
  const add = (file: string, more: number) => seconds.set(file, Math.max(0, (seconds.get(file) ?? 0) + more));
  for (const { file, seconds: each } of entries) add(file, each);
  for (const { within, seconds: each } of entries) if (within !== undefined) add(within, -each);
  return seconds;
}
