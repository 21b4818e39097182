import postgres from 'postgres';
import type { CopyTarget, Row, Statement, Value } from './copy-end.ts';
import type { TableShape } from './installation-tables.ts';

/** Locks of two numbers are apart from those of accounts, which have one. */
const ONE_COPY = [0x5357, 1] as const;

/** A PostgreSQL as one end of a copy: one connection, and once that is lost, nothing more. */
export class PostgresEnd implements CopyTarget {
  readonly emptyWords = 'truncate table';
  readonly #sql: postgres.Sql;
  readonly #session: postgres.ReservedSql;
  readonly #connection: { lost: boolean };

  private constructor(sql: postgres.Sql, session: postgres.ReservedSql, connection: { lost: boolean }) {
    this.#sql = sql;
    this.#session = session;
    this.#connection = connection;
  }

  static async open(url: string, { readOnly }: { readOnly: boolean }): Promise<PostgresEnd> {
    const connection = { lost: false };
    const sql = connect(url, () => {
      connection.lost = true;
    });
    try {
      const end = new PostgresEnd(sql, await sql.reserve(), connection);
      await end.query({ text: 'set statement_timeout = 0' });
      await end.query({ text: 'set idle_in_transaction_session_timeout = 0' });
      // What a crash of the server takes away is written again.
      await end.query({ text: readOnly ? BEGIN_SNAPSHOT : 'set synchronous_commit = off' });
      return end;
    } catch (error) {
      await sql.end({ timeout: 1 });
      throw error;
    }
  }

  /** Whether this end alone is used for copying: false while another copy reads or writes the same database. */
  async takePlace(): Promise<boolean> {
    const [row] = await this.query({ text: 'select pg_try_advisory_lock($1, $2)', parameters: ONE_COPY });
    return row?.[0] === 1;
  }

  /** How many others are connected to the same database. */
  async othersConnected(): Promise<number> {
    const [row] = await this.query({
      text: `select count(*) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    });
    return Number(row?.[0]);
  }

  async query({ text, parameters = [] }: Statement): Promise<Row[]> {
    // A new connection in the place of a lost one would be outside of the snapshot, the lock and the transaction.
    if (this.#connection.lost) throw new ConnectionLost();
    try {
      const rows = await this.#session.unsafe(text, [...parameters], { prepare: true }).values();
      return rows as unknown as Row[];
    } catch (error) {
      // Whatever the server did not say itself is about the connection.
      if (!(error instanceof postgres.PostgresError)) this.#connection.lost = true;
      throw error;
    }
  }

  async tableNames(): Promise<ReadonlySet<string>> {
    const rows = await this.query({ text: 'select tablename from pg_tables where schemaname = current_schema()' });
    return new Set(rows.map(([name]) => String(name)));
  }

  async change(statements: readonly Statement[], put?: { table: TableShape; rows: readonly Row[] }): Promise<void> {
    await this.query({ text: 'begin' });
    try {
      if (put) await this.query(insertion(put.table, put.rows));
      for (const statement of statements) await this.query(statement);
      await this.query({ text: 'commit' });
    } catch (error) {
      if (!this.#connection.lost) await this.query({ text: 'rollback' });
      throw error;
    }
  }

  async settle(tables: readonly TableShape[]): Promise<void> {
    await this.query({ text: `analyze ${tables.map(({ name }) => name).join(', ')}` });
    await this.query({ text: 'set synchronous_commit = on' });
  }

  async close(): Promise<void> {
    if (!this.#connection.lost) this.#session.release(); // an end would wait for it
    await this.#sql.end({ timeout: 1 });
  }
}

export class ConnectionLost extends Error {
  constructor() {
    super('The connection to PostgreSQL was lost.');
    this.name = 'ConnectionLost';
  }
}

const BEGIN_SNAPSHOT = 'begin isolation level repeatable read read only';

/** One statement for any number of rows, the same text for all pieces of a table: a list for each column, half again as fast as JSON. */
function insertion({ name, columns, types }: TableShape, rows: readonly Row[]): Statement {
  const lists = types.map((type, index) => `$${index + 1}::text::${type}[]`);
  return {
    text: `insert into ${name} (${columns.join(', ')}) select * from unnest(${lists.join(', ')})`,
    parameters: columns.map((_, index) => `{${rows.map((row) => inList(row[index] as Value)).join(',')}}`),
  };
}

function inList(value: Value): string {
  if (value === null) return 'null';
  return typeof value === 'number' ? String(value) : `"${value.replaceAll(/[\\"]/g, '\\$&')}"`;
}

function connect(url: string, onclose: () => void): postgres.Sql {
  return postgres(url, {
    max: 1,
    connect_timeout: 10,
    max_lifetime: null,
    keep_alive: 30,
    onnotice: () => undefined,
    onclose,
    types: {
      number: { to: 20, from: [20], serialize: String, parse: exactNumber },
      flag: { to: 16, from: [16], serialize: String, parse: (value: string) => (value === 't' ? 1 : 0) },
    } as never,
  });
}

/** The embedded database refuses to give out a rounded number, too. */
function exactNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is too large a number.`);
  return value;
}
