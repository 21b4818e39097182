import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import { columnNames } from '../column-names.ts';
import type { Tables } from '../tables.ts';

export interface StatementResult {
  readonly rows: unknown[];
  readonly changes: bigint;
  /** The command that the server reports. */
  readonly command: string | undefined;
}

export type Execute = (sql: string, parameters: readonly unknown[], milliseconds?: number) => Promise<StatementResult>;

/** Creates a Kysely instance for the readers, or for the connection of a transaction. */
export function createQueryBuilder(execute: Execute): Kysely<Tables> {
  const connection: DatabaseConnection = {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const { rows, changes } = await execute(query.sql, query.parameters);
      return { rows: rows as R[], numAffectedRows: changes };
    },
    streamQuery() {
      throw new Error('Streaming is not supported.');
    },
  };
  const dialect: Dialect = {
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createDriver: () => ({
      init: async () => undefined,
      acquireConnection: async () => connection,
      beginTransaction: async () => {
        throw new Error('Use Database.transaction, which handles deadlines and events.');
      },
      commitTransaction: async () => undefined,
      rollbackTransaction: async () => undefined,
      releaseConnection: async () => undefined,
      destroy: async () => undefined,
    }),
  };
  return new Kysely<Tables>({ dialect, plugins: [columnNames] });
}
