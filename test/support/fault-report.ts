import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

export interface FaultReport {
  /** What was done, with how many of it. */
  readonly done: readonly (readonly [what: string, count: number | string])[];
  /** What must hold, with everything that speaks against it. */
  readonly found: readonly { readonly name: string; readonly problems: readonly string[] }[];
}

const SHOWN = 3;

/** What a suite did and found, as a table. */
export function faultReport(t: TestContext, title: string, { done, found }: FaultReport): void {
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
}

export function assertNothingFound(found: FaultReport['found']): void {
  for (const { name, problems } of found) assert.deepEqual(problems.slice(0, SHOWN), [], name);
}
