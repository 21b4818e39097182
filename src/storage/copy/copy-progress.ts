import { UnusableDatabase } from '../errors.ts';
import { COPY_NOT_FINISHED, migrations } from '../migrate.ts';
import type { CopyEndpoint, CopyTarget, Row, SqlStatement } from './copy-endpoint.ts';
import { DERIVED_TABLES, type TableShape } from './installation-tables.ts';
import type { SourceFingerprint } from './source-fingerprint.ts';

const PROGRESS_TABLE = 'copy_progress';
const SOURCE_KEY = 'source';

export interface TableProgress {
  /** Key of the last copied row. */
  readonly after: Row;
  readonly rows: number;
}

export interface StartedCopy {
  readonly from: SourceFingerprint;
  readonly tables: ReadonlyMap<string, TableProgress>;
}

/** Returns the unfinished copy in a target; undefined if the target is empty. Throws if it contains anything else. */
export async function findStartedCopy(
  target: CopyEndpoint,
  tables: readonly TableShape[],
  name: string,
): Promise<StartedCopy | undefined> {
  const tableNames = await target.listTableNames();
  const existingTables = tables.filter((table) => tableNames.has(table.name));
  if (!tableNames.has('migrations')) {
    if (existingTables.length === 0) return undefined;
    throw new UnusableDatabase(
      `${name} has tables of another program: ${existingTables.map((table) => table.name).join(', ')}.`,
    );
  }
  if ((await readAppliedMigrations(target, name)).has(COPY_NOT_FINISHED)) return readStartedCopy(target);
  for (const table of existingTables) {
    const rows = await target.query({ text: `select 1 from ${table.name} limit 1` });
    if (rows.length === 0) continue;
    throw new UnusableDatabase(
      `${name} already contains an installation; nothing was changed. Choose an empty database as the target.`,
    );
  }
  return undefined;
}

/** Includes the marker of an unfinished copy. */
export async function readAppliedMigrations(endpoint: CopyEndpoint, name: string): Promise<ReadonlySet<string>> {
  const rows = await endpoint.query({ text: 'select name from migrations' }).catch(() => undefined);
  if (!rows) throw new UnusableDatabase(`${name} has a table "migrations" of another program.`);
  return new Set(rows.map(([migration]) => String(migration)));
}

/** Throws unless the database has exactly the tables of this version: only these can be copied unchanged. */
export function rejectOtherVersion(applied: ReadonlySet<string>, name: string): void {
  const knownNames = new Set([COPY_NOT_FINISHED, ...migrations.map((migration) => migration.name)]);
  const newer = [...applied].filter((migration) => !knownNames.has(migration));
  if (newer.length > 0) {
    throw new UnusableDatabase(
      `${name} was written by a newer version of Switchboard (it has ${newer.join(', ')}). Copy it with that version.`,
    );
  }
  const missing = migrations.filter((migration) => !applied.has(migration.name));
  if (missing.length > 0) {
    throw new UnusableDatabase(
      `${name} was written by an older version of Switchboard (it has no ${missing.map((migration) => migration.name).join(', ')}). ` +
        'Start this version on it once, or copy it with the older one.',
    );
  }
}

/** Marks the target: from now on, only this copy can use it. */
export function markStarted(target: CopyTarget, from: SourceFingerprint, now: number): Promise<void> {
  return target.write([
    { text: `create table ${PROGRESS_TABLE} (what text primary key, value text not null)` },
    {
      text: `insert into ${PROGRESS_TABLE} (what, value) values ($1, $2)`,
      parameters: [SOURCE_KEY, JSON.stringify(from)],
    },
    { text: 'insert into migrations (name, applied_at) values ($1, $2)', parameters: [COPY_NOT_FINISHED, now] },
  ]);
}

/** Builds the statement that stores the progress of a table, for the transaction of its rows. */
export function buildProgressUpdate(table: TableShape, progress: TableProgress): SqlStatement {
  return {
    text: `insert into ${PROGRESS_TABLE} (what, value) values ($1, $2) on conflict (what) do update set value = excluded.value`,
    parameters: [`table ${table.name}`, JSON.stringify(progress)],
  };
}

/** Removes the marker: the target becomes a normal installation. */
export function markFinished(target: CopyTarget): Promise<void> {
  return target.write(buildMarkerRemoval());
}

/** Empties the target of an unfinished copy. */
export function discardCopy(target: CopyTarget, tables: readonly TableShape[]): Promise<void> {
  return target.write([
    // PostgreSQL truncates tables without their triggers.
    ...[...tables.map(({ name }) => name), ...DERIVED_TABLES].map((name) => ({
      text: `${target.emptyTableSql} ${name}`,
    })),
    ...buildMarkerRemoval(),
  ]);
}

function buildMarkerRemoval(): SqlStatement[] {
  return [
    { text: 'delete from migrations where name = $1', parameters: [COPY_NOT_FINISHED] },
    { text: `drop table ${PROGRESS_TABLE}` },
  ];
}

async function readStartedCopy(target: CopyEndpoint): Promise<StartedCopy> {
  const entries = new Map(
    (await target.query({ text: `select what, value from ${PROGRESS_TABLE}` })) as [string, string][],
  );
  const tables = [...entries].filter(([what]) => what.startsWith('table '));
  return {
    from: JSON.parse(entries.get(SOURCE_KEY) ?? '{}'),
    tables: new Map(tables.map(([what, value]) => [what.slice('table '.length), JSON.parse(value) as TableProgress])),
  };
}
