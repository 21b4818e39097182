import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import postgres from 'postgres';

export type Row = Record<string, unknown>;
type Parameter = string | number | null;

/** Direct access to a service's database. The same SQL works on both databases; `?` marks a parameter. */
export interface StoredData {
  query(sql: string, ...parameters: Parameter[]): Promise<Row[]>;
  /** All rows of all tables, as text. */
  dumpRows(): Promise<string>;
  /** Also includes the database files, if any: they may still contain deleted rows. */
  dumpRowsAndFiles(): Promise<string>;
  /** Makes inserts into a table fail; returns a function that allows them again. */
  blockInserts(table: string): Promise<() => Promise<void>>;
  end(): Promise<void>;
}

export function openStoredData(databaseUrl: string): StoredData {
  return databaseUrl.startsWith('postgres') ? openPostgresData(databaseUrl) : openSqliteData(databaseUrl.slice(7));
}

/** Opened by the first query, and again for another file: a test may replace the file. */
function openSqliteData(file: string): StoredData {
  let open: { readonly database: DatabaseSync; readonly inode: number } | undefined;
  const close = () => {
    open?.database.close();
    open = undefined;
  };
  const query: StoredData['query'] = async (sql, ...parameters) => {
    const inode = statSync(file, { throwIfNoEntry: false })?.ino ?? 0;
    if (open?.inode !== inode) close();
    open ??= { database: openWithoutFlushing(file), inode };
    return open.database.prepare(sql).all(...parameters) as Row[];
  };
  const dumpRows = async () => {
    const tables = await query("select name from sqlite_master where type = 'table'");
    const contents = await Promise.all(tables.map(({ name }) => query(`select * from "${name}"`)));
    return contents.map((rows) => JSON.stringify(rows)).join('');
  };
  return {
    query,
    dumpRows,
    dumpRowsAndFiles: async () => {
      const folder = dirname(file);
      return (await dumpRows()) + readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
    },
    blockInserts: async (table) => {
      await query(`create trigger no_${table} before insert on ${table} begin select raise(abort, 'no'); end`);
      return async () => {
        await query(`drop trigger no_${table}`);
      };
    },
    end: async () => close(),
  };
}

/** What a test writes need not survive a power failure. */
function openWithoutFlushing(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 5000 });
  database.exec('pragma synchronous = off');
  return database;
}

/** One connection, opened by the first query and reopened after it has ended. */
function openPostgresData(url: string): StoredData {
  const types = { number: { to: 20, from: [20, 1700], serialize: String, parse: Number } };
  const connect = () => postgres(url, { max: 1, idle_timeout: 1, onnotice: () => undefined, types: types as never });
  let connection: postgres.Sql | undefined;
  const query: StoredData['query'] = async (sql, ...parameters) => {
    connection ??= connect();
    let parameterNumber = 0;
    const text = sql.replaceAll('?', () => {
      parameterNumber += 1;
      return `$${parameterNumber}`;
    });
    return [...(await connection.unsafe(text, parameters))];
  };
  const dumpRows = async () => {
    const tables = await query("select tablename as name from pg_tables where schemaname = 'public'");
    const contents = tables.map(({ name }) => `select json_agg(each)::text as rows from "${name}" each`);
    return JSON.stringify(await query(contents.join(' union all ')));
  };
  return {
    query,
    dumpRows,
    dumpRowsAndFiles: dumpRows,
    blockInserts: async (table) => {
      await query(`create function no_${table}() returns trigger language plpgsql as $$ begin raise 'no'; end $$`);
      await query(`create trigger no before insert on ${table} for each row execute function no_${table}()`);
      return async () => {
        await query(`drop function no_${table} cascade`);
      };
    },
    end: async () => {
      const open = connection;
      connection = undefined;
      await open?.end();
    },
  };
}
