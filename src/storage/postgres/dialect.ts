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
import { names } from '../names.ts';
import type { Tables } from '../tables.ts';

export interface Answer {
  readonly rows: unknown[];
  readonly changes: bigint;
  /** What the server says that it did. */
  readonly command: string | undefined;
}

/** Runs one statement. */
export type Execute = (sql: string, parameters: readonly unknown[], milliseconds?: number) => Promise<Answer>;

/** Kysely over a way to run statements: one that reads, or the connection of a transaction. */
export function queriesOn(execute: Execute): Kysely<Tables> {
  const connection: DatabaseConnection = {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const { rows, changes } = await execute(query.sql, query.parameters);
      return { rows: rows as R[], numAffectedRows: changes };
    },
    streamQuery() {
      throw new Error('Nothing is streamed from the database.');
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
        throw new Error('Use Database.transaction: it knows about deadlines and events.');
      },
      commitTransaction: async () => undefined,
      rollbackTransaction: async () => undefined,
      releaseConnection: async () => undefined,
      destroy: async () => undefined,
    }),
  };
  return new Kysely<Tables>({ dialect, plugins: [names] });
}
