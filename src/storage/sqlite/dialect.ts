import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { names } from '../names.ts';
import type { Tables } from '../tables.ts';
import type { SqliteConnection } from './connection.ts';

/**
 * Kysely over one of our handles. Transactions are not Kysely's here: `SqliteDatabase.transaction` holds the writer
 * and everything that is read or written inside goes through it.
 */
export function queriesOn(connection: Pick<SqliteConnection, 'run'>): Kysely<Tables> {
  const dialect: Dialect = {
    createAdapter: () => new SqliteAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createDriver: () => new OneConnectionDriver(connection),
  };
  return new Kysely<Tables>({ dialect, plugins: [names] });
}

class OneConnectionDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(connection: Pick<SqliteConnection, 'run'>) {
    this.#connection = {
      async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
        const { rows, changes } = connection.run(query.sql, query.parameters);
        return { rows: rows as R[], numAffectedRows: changes };
      },
      streamQuery() {
        throw new Error('The embedded database does not stream.');
      },
    };
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }
  async beginTransaction(): Promise<void> {
    throw new Error('Use Database.transaction: Kysely alone would mix the statements of several requests.');
  }
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}
