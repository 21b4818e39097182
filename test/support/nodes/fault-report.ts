import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

export interface FaultReport {
  /** What was done, with how many of it. */
  readonly done: readonly (readonly [what: string, count: number | string])[];
  /** What must hold, with everything that speaks against it. */
  readonly found: readonly { readonly name: string; readonly problems: readonly string[] }[];
  /** All that the clients saw; kept in a file when something was found. */
  readonly journal?: readonly object[];
}

const SHOWN = 3;

/** What a suite did and found, as a table. */
export function faultReport(t: TestContext, title: string, { done, found, journal }: FaultReport): void {
  const width = Math.max(...done.map(([what]) => what.length), ...found.map(({ name }) => name.length));
  const line = (what: string, value: number | string) =>
    t.diagnostic(`  ${what.padEnd(width)}  ${String(value).padStart(9)}`);
  t.diagnostic(title);
  for (const [what, count] of done) line(what, count);
  line('— found —', 'problems');
  for (const { name, problems } of found) {
    line(name, problems.length);
    for (const problem of problems.slice(0, SHOWN)) t.diagnostic(`    ${problem}`);
  }
  if (journal && found.some(({ problems }) => problems.length > 0)) t.diagnostic(`journal: ${kept(journal)}`);
}

export function assertNothingFound(found: FaultReport['found']): void {
  for (const { name, problems } of found) assert.deepEqual(problems.slice(0, SHOWN), [], name);
}

function kept(journal: readonly object[]): string {
  const file = join(mkdtempSync(join(tmpdir(), 'switchboard-journal-')), 'journal.jsonl');
  writeFileSync(file, journal.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  return file;
}
