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
import { columnNames } from '../column-names.ts';
import type { Tables } from '../tables.ts';
import type { SqliteConnection } from './connection.ts';

/**
 * Creates a Kysely instance for a connection. Transactions do not use Kysely's API: `SqliteDatabase.transaction` owns
 * the write
 * connection, and all statements inside go through it.
 */
export function createQueryBuilder(connection: Pick<SqliteConnection, 'run'>): Kysely<Tables> {
  const dialect: Dialect = {
    createAdapter: () => new SqliteAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createDriver: () => new SingleConnectionDriver(connection),
  };
  return new Kysely<Tables>({ dialect, plugins: [columnNames] });
}

class SingleConnectionDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(connection: Pick<SqliteConnection, 'run'>) {
    this.#connection = {
      async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
        const { rows, changes } = connection.run(query.sql, query.parameters);
        return { rows: rows as R[], numAffectedRows: changes };
      },
      streamQuery() {
        throw new Error('Streaming is not supported.');
      },
    };
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }
  async beginTransaction(): Promise<void> {
    throw new Error('Use Database.transaction: Kysely would mix the statements of several requests.');
  }
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}
