import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

export interface FindingsReport {
  /** How often each step was done. */
  readonly counts: readonly (readonly [what: string, count: number | string])[];
  /** Each expectation with its violations. */
  readonly checks: readonly { readonly name: string; readonly problems: readonly string[] }[];
  /** Everything that the clients saw; saved to a file if there are problems. */
  readonly journal?: readonly object[];
}

const MAX_SHOWN_PROBLEMS = 3;

/** Prints the counts and problems as a table. */
export function reportFindings(t: TestContext, title: string, { counts, checks, journal }: FindingsReport): void {
  const width = Math.max(...counts.map(([what]) => what.length), ...checks.map(({ name }) => name.length));
  const line = (what: string, value: number | string) =>
    t.diagnostic(`  ${what.padEnd(width)}  ${String(value).padStart(9)}`);
  t.diagnostic(title);
  for (const [what, count] of counts) line(what, count);
  line('— checks —', 'problems');
  for (const { name, problems } of checks) {
    line(name, problems.length);
    for (const problem of problems.slice(0, MAX_SHOWN_PROBLEMS)) t.diagnostic(`    ${problem}`);
  }
  if (journal && checks.some(({ problems }) => problems.length > 0)) t.diagnostic(`journal: ${saveJournal(journal)}`);
}

export function assertNoProblems(checks: FindingsReport['checks']): void {
  for (const { name, problems } of checks) assert.deepEqual(problems.slice(0, MAX_SHOWN_PROBLEMS), [], name);
}

function saveJournal(journal: readonly object[]): string {
  const file = join(mkdtempSync(join(tmpdir(), 'switchboard-journal-')), 'journal.jsonl');
  writeFileSync(file, journal.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  return file;
}
