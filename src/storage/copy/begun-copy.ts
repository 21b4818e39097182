import { UnusableDatabase } from '../errors.ts';
import { COPY_NOT_FINISHED, migrations } from '../migrate.ts';
import type { CopyEnd, CopyTarget, Row, Statement } from './copy-end.ts';
import type { TableShape } from './installation-tables.ts';
import type { SourceMark } from './source-mark.ts';

const PROGRESS = 'copy_progress';
const SOURCE = 'source';

/** How far a table has come. */
export interface TableProgress {
  /** Key of the last row that is there. */
  readonly after: Row;
  readonly rows: number;
}

export interface BegunCopy {
  readonly from: SourceMark;
  readonly tables: ReadonlyMap<string, TableProgress>;
}

/** The copy that was begun in a target; undefined for a target that is empty. Anything else in it is refused. */
export async function begunCopyIn(
  target: CopyEnd,
  tables: readonly TableShape[],
  name: string,
): Promise<BegunCopy | undefined> {
  const found = await target.tableNames();
  const ours = tables.filter((table) => found.has(table.name));
  if (!found.has('migrations')) {
    if (ours.length === 0) return undefined;
    throw new UnusableDatabase(`${name} has tables of another program: ${ours.map((table) => table.name).join(', ')}.`);
  }
  if ((await appliedIn(target, name)).has(COPY_NOT_FINISHED)) return read(target);
  for (const table of ours) {
    const rows = await target.query({ text: `select 1 from ${table.name} limit 1` });
    if (rows.length === 0) continue;
    throw new UnusableDatabase(
      `${name} holds an installation already; nothing was changed. Name an empty database as the target.`,
    );
  }
  return undefined;
}

/** Names of the migrations of a database, with the mark of a copy that is not finished. */
export async function appliedIn(end: CopyEnd, name: string): Promise<ReadonlySet<string>> {
  const rows = await end.query({ text: 'select name from migrations' }).catch(() => undefined);
  if (!rows) throw new UnusableDatabase(`${name} has a table "migrations" of another program.`);
  return new Set(rows.map(([migration]) => String(migration)));
}

/** Refuses all but exactly the tables that this version knows: only they can be copied as they are. */
export function refuseOtherVersion(applied: ReadonlySet<string>, name: string): void {
  const known = new Set([COPY_NOT_FINISHED, ...migrations.map((migration) => migration.name)]);
  const newer = [...applied].filter((migration) => !known.has(migration));
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

/** From here on the target can be nothing but the end of this copy. */
export function begin(target: CopyTarget, from: SourceMark, now: number): Promise<void> {
  return target.change([
    { text: `create table ${PROGRESS} (what text primary key, value text not null)` },
    { text: `insert into ${PROGRESS} (what, value) values ($1, $2)`, parameters: [SOURCE, JSON.stringify(from)] },
    { text: 'insert into migrations (name, applied_at) values ($1, $2)', parameters: [COPY_NOT_FINISHED, now] },
  ]);
}

/** Keeps how far a table has come; belongs into the transaction of the rows. */
export function progressed(table: TableShape, progress: TableProgress): Statement {
  return {
    text: `insert into ${PROGRESS} (what, value) values ($1, $2) on conflict (what) do update set value = excluded.value`,
    parameters: [`table ${table.name}`, JSON.stringify(progress)],
  };
}

/** Takes the mark away: the target is an installation like any other. */
export function finish(target: CopyTarget): Promise<void> {
  return target.change(withoutMark());
}

/** Makes a begun copy an empty database again. */
export function throwAway(target: CopyTarget, tables: readonly TableShape[]): Promise<void> {
  return target.change([...tables.map(({ name }) => ({ text: `${target.emptyWords} ${name}` })), ...withoutMark()]);
}

function withoutMark(): Statement[] {
  return [
    { text: 'delete from migrations where name = $1', parameters: [COPY_NOT_FINISHED] },
    { text: `drop table ${PROGRESS}` },
  ];
}

async function read(target: CopyEnd): Promise<BegunCopy> {
  const kept = new Map((await target.query({ text: `select what, value from ${PROGRESS}` })) as [string, string][]);
  const tables = [...kept].filter(([what]) => what.startsWith('table '));
  return {
    from: JSON.parse(kept.get(SOURCE) ?? '{}'),
    tables: new Map(tables.map(([what, value]) => [what.slice('table '.length), JSON.parse(value) as TableProgress])),
  };
}
