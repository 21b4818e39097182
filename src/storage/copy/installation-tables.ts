import { CREATE_MIGRATIONS_TABLE, migrations } from '../migrate.ts';
import type { Migration } from '../migrations/migration.ts';
import { SqliteConnection } from '../sqlite/connection.ts';

export interface TableShape {
  readonly name: string;
  readonly columns: readonly string[];
  /** bigint, integer, text or bytea, for each column. */
  readonly types: readonly string[];
  /** Columns of the primary key, in its order. */
  readonly key: readonly string[];
}

/** Triggers fill these from the other tables, in every database. */
export const DERIVED_TABLES: readonly string[] = ['listed_operators'];

/**
 * Reads the tables of an installation from the migrations, so that new tables and columns are copied automatically.
 * Excludes derived tables, and the table of applied migrations, which describes the database itself.
 */
export function listInstallationTables(available: readonly Migration[] = migrations): TableShape[] {
  const database = new SqliteConnection(':memory:', { readOnly: false, clock: Date.now, cacheKiB: 1024 });
  try {
    database.run(CREATE_MIGRATIONS_TABLE, []);
    for (const { statements } of available) {
      for (const statement of statements({ orderedText: 'text', bytes: 'bytea' })) database.run(statement, []);
    }
    const rows = database.all(
      `select name from sqlite_schema where type = 'table' and name <> 'migrations' and name not like 'sqlite~_%' escape '~' order by rowid`,
      [],
    );
    const names = (rows as { name: string }[]).map(({ name }) => name).filter((name) => !DERIVED_TABLES.includes(name));
    return names.map((name) => readTableShape(database, name));
  } finally {
    database.close();
  }
}

function readTableShape(database: SqliteConnection, name: string): TableShape {
  const columns = database.all('select name, lower(type) as type, pk from pragma_table_info(?)', [name]) as Column[];
  const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  if (key.length === 0) throw new Error(`The table ${name} has no primary key, so it cannot be copied in batches.`);
  return {
    name,
    columns: columns.map((column) => column.name),
    types: columns.map((column) => column.type),
    key: key.map((column) => column.name),
  };
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly pk: number;
}
