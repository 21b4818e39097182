import { UnusableDatabase } from '../errors.ts';
import { COPY_NOT_FINISHED } from '../migrate.ts';
import { appliedIn, type BegunCopy, begin, begunCopyIn, refuseOtherVersion, throwAway } from './begun-copy.ts';
import { type CopySource, type CopyTarget, countRows } from './copy-end.ts';
import { copyTable } from './copy-table.ts';
import type { TableShape } from './installation-tables.ts';
import { markOf, type SourceMark } from './source-mark.ts';
import { type Comparison, compareTable } from './verify.ts';

/** An end with the name that a person knows it by. */
export interface Named<End> {
  readonly end: End;
  readonly name: string;
}

export interface Ends {
  readonly source: Named<CopySource>;
  readonly target: Named<CopyTarget>;
}

/** What there is to copy. */
export interface Contents {
  readonly tables: readonly TableShape[];
  readonly counts: ReadonlyMap<string, number>;
  readonly mark: SourceMark;
}

/** Is told of every step. What it throws ends the work; the same copy can go on later. */
export interface Watcher {
  table(name: string, rows: number, already: number): void;
  rows(count: number): void;
}

export async function contentsOf({ end, name }: Named<CopySource>, tables: readonly TableShape[]): Promise<Contents> {
  if (!(await end.tableNames()).has('migrations'))
    throw new UnusableDatabase(`${name} is no installation of Switchboard.`);
  const applied = await appliedIn(end, name);
  if (applied.has(COPY_NOT_FINISHED)) throw new UnusableDatabase(`${name} is itself a copy that is not finished.`);
  refuseOtherVersion(applied, name);
  const counts = new Map<string, number>();
  for (const table of tables) counts.set(table.name, await countRows(end, table));
  if (counts.get('accounts') === 0) throw new UnusableDatabase(`${name} has no account: there is nothing to copy.`);
  return { tables, counts, mark: await markOf(end, tables, counts) };
}

/** Makes the target ready: a new one is migrated and marked, a begun copy of the same source goes on. */
export async function prepareTarget(
  { end, name }: Named<CopyTarget>,
  { tables, mark }: Contents,
  options: { readonly beginAgain: boolean; readonly now: number; migrate(): Promise<void> },
): Promise<BegunCopy['tables']> {
  let begun = await begunCopyIn(end, tables, name);
  if (begun && options.beginAgain) {
    await throwAway(end, tables);
    begun = undefined;
  }
  if (begun) {
    refuseOtherVersion(await appliedIn(end, name), name);
    refuseOtherSource(begun, mark, name);
    return begun.tables;
  }
  await options.migrate();
  await begin(end, mark, options.now);
  return new Map();
}

export async function copyMissing(
  { source, target }: Ends,
  { tables, counts }: Contents,
  begun: BegunCopy['tables'],
  watcher: Watcher,
): Promise<void> {
  for (const table of tables) {
    const progress = begun.get(table.name);
    watcher.table(table.name, counts.get(table.name) ?? 0, progress?.rows ?? 0);
    await copyTable({ source: source.end, target: target.end }, table, progress, (rows) => watcher.rows(rows));
  }
}

export async function compareAll(
  { source, target }: Ends,
  { tables, counts }: Contents,
  watcher: Watcher,
): Promise<Comparison[]> {
  const found: Comparison[] = [];
  for (const table of tables) {
    watcher.table(table.name, counts.get(table.name) ?? 0, 0);
    found.push(await compareTable({ source: source.end, target: target.end }, table, (rows) => watcher.rows(rows)));
  }
  return found;
}

function refuseOtherSource({ from }: BegunCopy, mark: SourceMark, name: string): void {
  const advice = 'To throw away what is there and begin again, add --begin-again.';
  if (from.installation !== mark.installation) {
    throw new UnusableDatabase(`${name} holds the beginning of a copy of another installation. ${advice}`);
  }
  if (from.state !== mark.state) {
    throw new UnusableDatabase(`The source has changed since its copy to ${name} was begun. ${advice}`);
  }
}
