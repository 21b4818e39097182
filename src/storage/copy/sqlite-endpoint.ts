import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { CopyTarget, Row, SqlStatement, Value } from './copy-endpoint.ts';
import type { TableShape } from './installation-tables.ts';

/** A database file as source or target of a copy. */
export class SqliteEndpoint implements CopyTarget {
  readonly emptyTableSql = 'delete from';
  readonly #handle: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(file: string, { readOnly }: { readOnly: boolean }) {
    this.#handle = new DatabaseSync(file, { readOnly, timeout: 5000 });
    // A source keeps one snapshot. A copy can resume after a power failure, so a target need not sync every commit.
    this.#handle.exec(readOnly ? 'begin' : 'pragma journal_mode = wal; pragma synchronous = normal');
    this.#handle.exec('pragma cache_size = -65536');
  }

  async query({ text, parameters = [] }: SqlStatement): Promise<Row[]> {
    return this.#prepare(text).all(...parameters) as unknown as Row[];
  }

  async listTableNames(): Promise<ReadonlySet<string>> {
    const rows = await this.query({ text: `select name from sqlite_schema where type = 'table'` });
    return new Set(rows.map(([name]) => String(name)));
  }

  async write(statements: readonly SqlStatement[], batch?: { table: TableShape; rows: readonly Row[] }): Promise<void> {
    this.#handle.exec('begin immediate');
    try {
      if (batch) this.#insertRows(batch.table, batch.rows);
      for (const { text, parameters = [] } of statements) this.#prepare(text).run(...parameters);
      this.#handle.exec('commit');
    } catch (error) {
      if (this.#handle.isTransaction) this.#handle.exec('rollback');
      throw error;
    }
  }

  async finalize(): Promise<void> {
    this.#handle.exec('pragma synchronous = full');
  }

  async close(): Promise<void> {
    this.#prepared.clear();
    this.#handle.close();
  }

  #insertRows(table: TableShape, rows: readonly Row[]): void {
    const placeholders = table.columns.map(() => '?').join(', ');
    const insert = this.#prepare(`insert into ${table.name} (${table.columns.join(', ')}) values (${placeholders})`);
    for (const row of rows) insert.run(...(row as Value[]));
  }

  #prepare(text: string): StatementSync {
    let statement = this.#prepared.get(text);
    if (!statement) {
      statement = this.#handle.prepare(text.replaceAll(/\$(\d+)/g, '?$1'));
      statement.setReturnArrays(true);
      this.#prepared.set(text, statement);
    }
    return statement;
  }
}
