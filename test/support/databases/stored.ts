import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import postgres from 'postgres';

export type Row = Record<string, unknown>;
type Parameter = string | number | null;

/** What a service keeps, seen and changed beside its back: the same text for both databases, `?` where a parameter stands. */
export interface Stored {
  rows(sql: string, ...parameters: Parameter[]): Promise<Row[]>;
  /** The rows of every table, as text. */
  everyRow(): Promise<string>;
  /** The same, and the files where the database has any: what was there before may be left in them. */
  everything(): Promise<string>;
  /** From now on nothing can be added to a table; answers with a way to let it be again. */
  refuseInserts(table: string): Promise<() => Promise<void>>;
  end(): Promise<void>;
}

export function storedAt(databaseUrl: string): Stored {
  return databaseUrl.startsWith('postgres') ? storedOnServer(databaseUrl) : storedInFile(databaseUrl.slice(7));
}

/** Opened for each look: a test may stop the service and start it again meanwhile. */
function storedInFile(file: string): Stored {
  type Query = (sql: string, ...parameters: Parameter[]) => Row[];
  const look = <T>(work: (query: Query) => T): T => {
    const database = new DatabaseSync(file, { timeout: 5000 });
    try {
      return work((sql, ...parameters) => database.prepare(sql).all(...parameters) as Row[]);
    } finally {
      database.close();
    }
  };
  const rows: Stored['rows'] = async (sql, ...parameters) => look((query) => query(sql, ...parameters));
  const everyRow = async () =>
    look((query) => {
      const tables = query("select name from sqlite_master where type = 'table'");
      return tables.map(({ name }) => JSON.stringify(query(`select * from "${name}"`))).join('');
    });
  return {
    rows,
    everyRow,
    everything: async () => {
      const folder = dirname(file);
      return (await everyRow()) + readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
    },
    refuseInserts: async (table) => {
      await rows(`create trigger no_${table} before insert on ${table} begin select raise(abort, 'no'); end`);
      return async () => {
        await rows(`drop trigger no_${table}`);
      };
    },
    end: async () => undefined,
  };
}

/** One connection, opened at the first look and again when it has ended. */
function storedOnServer(url: string): Stored {
  const types = { number: { to: 20, from: [20, 1700], serialize: String, parse: Number } };
  const connect = () => postgres(url, { max: 1, idle_timeout: 1, onnotice: () => undefined, types: types as never });
  let connection: postgres.Sql | undefined;
  const rows: Stored['rows'] = async (sql, ...parameters) => {
    connection ??= connect();
    let place = 0;
    const text = sql.replaceAll('?', () => {
      place += 1;
      return `$${place}`;
    });
    return [...(await connection.unsafe(text, parameters))];
  };
  const everyRow = async () => {
    const tables = await rows("select tablename as name from pg_tables where schemaname = 'public'");
    const contents = tables.map(({ name }) => `select json_agg(each)::text as rows from "${name}" each`);
    return JSON.stringify(await rows(contents.join(' union all ')));
  };
  return {
    rows,
    everyRow,
    everything: everyRow,
    refuseInserts: async (table) => {
      await rows(`create function no_${table}() returns trigger language plpgsql as $$ begin raise 'no'; end $$`);
      await rows(`create trigger no before insert on ${table} for each row execute function no_${table}()`);
      return async () => {
        await rows(`drop function no_${table} cascade`);
      };
    },
    end: async () => {
      const open = connection;
      connection = undefined;
      await open?.end();
    },
  };
}
