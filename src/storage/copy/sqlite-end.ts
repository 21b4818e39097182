import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { CopyTarget, Row, Statement, Value } from './copy-end.ts';
import type { TableShape } from './installation-tables.ts';

/** A database file as one end of a copy. */
export class SqliteEnd implements CopyTarget {
  readonly emptyWords = 'delete from';
  readonly #handle: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(file: string, { readOnly }: { readOnly: boolean }) {
    this.#handle = new DatabaseSync(file, { readOnly, timeout: 5000 });
    // Whoever reads keeps to what was there at first. Whoever writes can write again what a power cut takes away.
    this.#handle.exec(readOnly ? 'begin' : 'pragma journal_mode = wal; pragma synchronous = normal');
    this.#handle.exec('pragma cache_size = -65536');
  }

  async query({ text, parameters = [] }: Statement): Promise<Row[]> {
    return this.#prepare(text).all(...parameters) as unknown as Row[];
  }

  async tableNames(): Promise<ReadonlySet<string>> {
    const rows = await this.query({ text: `select name from sqlite_schema where type = 'table'` });
    return new Set(rows.map(([name]) => String(name)));
  }

  async change(statements: readonly Statement[], put?: { table: TableShape; rows: readonly Row[] }): Promise<void> {
    this.#handle.exec('begin immediate');
    try {
      if (put) this.#put(put.table, put.rows);
      for (const { text, parameters = [] } of statements) this.#prepare(text).run(...parameters);
      this.#handle.exec('commit');
    } catch (error) {
      if (this.#handle.isTransaction) this.#handle.exec('rollback');
      throw error;
    }
  }

  async settle(): Promise<void> {
    this.#handle.exec('pragma synchronous = full');
  }

  async close(): Promise<void> {
    this.#prepared.clear();
    this.#handle.close();
  }

  #put(table: TableShape, rows: readonly Row[]): void {
    const places = table.columns.map(() => '?').join(', ');
    const insert = this.#prepare(`insert into ${table.name} (${table.columns.join(', ')}) values (${places})`);
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
