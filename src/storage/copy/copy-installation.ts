import { UnusableDatabase } from '../errors.ts';
import { COPY_NOT_FINISHED } from '../migrate.ts';
import { type CopySource, type CopyTarget, countRows } from './copy-endpoint.ts';
import {
  discardCopy,
  findStartedCopy,
  markStarted,
  readAppliedMigrations,
  rejectOtherVersion,
  type StartedCopy,
} from './copy-progress.ts';
import { copyTable } from './copy-table.ts';
import type { TableShape } from './installation-tables.ts';
import { computeFingerprint, type SourceFingerprint } from './source-fingerprint.ts';
import { type Comparison, compareTable } from './verify.ts';

/** An endpoint with its display name. */
export interface NamedEndpoint<Endpoint> {
  readonly endpoint: Endpoint;
  readonly name: string;
}

export interface CopyEndpoints {
  readonly source: NamedEndpoint<CopySource>;
  readonly target: NamedEndpoint<CopyTarget>;
}

export interface CopyContents {
  readonly tables: readonly TableShape[];
  readonly counts: ReadonlyMap<string, number>;
  readonly fingerprint: SourceFingerprint;
}

/** Receives progress. An error that it throws stops the copy, which can be resumed later. */
export interface CopyListener {
  onTable(name: string, rows: number, copiedRows: number): void;
  onRows(count: number): void;
}

export async function readContents(
  { endpoint, name }: NamedEndpoint<CopySource>,
  tables: readonly TableShape[],
): Promise<CopyContents> {
  if (!(await endpoint.listTableNames()).has('migrations'))
    throw new UnusableDatabase(`${name} is not a Switchboard installation.`);
  const applied = await readAppliedMigrations(endpoint, name);
  if (applied.has(COPY_NOT_FINISHED)) throw new UnusableDatabase(`${name} is itself an unfinished copy.`);
  rejectOtherVersion(applied, name);
  const counts = new Map<string, number>();
  for (const table of tables) counts.set(table.name, await countRows(endpoint, table));
  if (counts.get('accounts') === 0) throw new UnusableDatabase(`${name} has no account: there is nothing to copy.`);
  return { tables, counts, fingerprint: await computeFingerprint(endpoint, tables, counts) };
}

/** Migrates and marks a new target, or resumes an unfinished copy of the same source. */
export async function prepareTarget(
  { endpoint, name }: NamedEndpoint<CopyTarget>,
  { tables, fingerprint }: CopyContents,
  options: { readonly beginAgain: boolean; readonly now: number; migrate(): Promise<void> },
): Promise<StartedCopy['tables']> {
  let started = await findStartedCopy(endpoint, tables, name);
  if (started && options.beginAgain) {
    await discardCopy(endpoint, tables);
    started = undefined;
  }
  if (started) {
    rejectOtherVersion(await readAppliedMigrations(endpoint, name), name);
    rejectOtherSource(started, fingerprint, name);
    return started.tables;
  }
  await options.migrate();
  await markStarted(endpoint, fingerprint, options.now);
  return new Map();
}

export async function copyRemaining(
  { source, target }: CopyEndpoints,
  { tables, counts }: CopyContents,
  started: StartedCopy['tables'],
  listener: CopyListener,
): Promise<void> {
  for (const table of tables) {
    const progress = started.get(table.name);
    listener.onTable(table.name, counts.get(table.name) ?? 0, progress?.rows ?? 0);
    await copyTable({ source: source.endpoint, target: target.endpoint }, table, progress, (rows) =>
      listener.onRows(rows),
    );
  }
}

export async function compareTables(
  { source, target }: CopyEndpoints,
  { tables, counts }: CopyContents,
  listener: CopyListener,
): Promise<Comparison[]> {
  const comparisons: Comparison[] = [];
  for (const table of tables) {
    listener.onTable(table.name, counts.get(table.name) ?? 0, 0);
    comparisons.push(
      await compareTable({ source: source.endpoint, target: target.endpoint }, table, (rows) => listener.onRows(rows)),
    );
  }
  return comparisons;
}

function rejectOtherSource({ from }: StartedCopy, fingerprint: SourceFingerprint, name: string): void {
  const advice = 'To discard it and start again, add --begin-again.';
  if (from.installation !== fingerprint.installation) {
    throw new UnusableDatabase(`${name} contains an unfinished copy of another installation. ${advice}`);
  }
  if (from.state !== fingerprint.state) {
    throw new UnusableDatabase(`The source has changed since its copy to ${name} started. ${advice}`);
  }
}
