import { MIGRATIONS_TABLE, migrations } from '../migrate.ts';
import { SqliteConnection } from '../sqlite/connection.ts';

export interface TableShape {
  readonly name: string;
  readonly columns: readonly string[];
  /** bigint, integer or text, for each column. */
  readonly types: readonly string[];
  /** Columns of the primary key, in its order. */
  readonly key: readonly string[];
}

/**
 * Every table of an installation as the migrations make it: a new table or column is copied without being named here.
 * What was applied and when is told of the database itself, and is not copied.
 */
export function installationTables(): TableShape[] {
  const model = new SqliteConnection(':memory:', { readOnly: false, clock: Date.now, cacheKiB: 1024 });
  try {
    model.run(MIGRATIONS_TABLE, []);
    for (const { statements } of migrations) {
      for (const statement of statements({ orderedText: 'text' })) model.run(statement, []);
    }
    const found = model.all(
      `select name from sqlite_schema where type = 'table' and name <> 'migrations' and name not like 'sqlite~_%' escape '~' order by rowid`,
      [],
    );
    return (found as { name: string }[]).map(({ name }) => shapeOf(model, name));
  } finally {
    model.close();
  }
}

function shapeOf(model: SqliteConnection, name: string): TableShape {
  const columns = model.all('select name, lower(type) as type, pk from pragma_table_info(?)', [name]) as Column[];
  const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  if (key.length === 0) throw new Error(`The table ${name} has no primary key: it cannot be copied in pieces.`);
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
