import { type Compilable, type CompiledQuery, type Expression, type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

/** Marks the position of an argument in compiled SQL. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

type ArgumentExpressions<Args> = { readonly [Name in keyof Args]: Expression<Args[Name]> };

/** Compiled once and run often: building and compiling costs several times as much as SQLite needs to execute it. */
export interface Statement<Args extends object, Row> {
  build(db: Kysely<Tables>, args: ArgumentExpressions<Args>): Compilable<Row>;
}

/** Defines a statement. Every run must pass the same argument names. */
export function prepare<Args extends object, Row = unknown>(
  build: Statement<Args, Row>['build'],
): Statement<Args, Row> {
  return { build };
}

/**
 * Prepares one statement per shape, for statements that differ by more than values, such as the columns that they set.
 * There must be few shapes, because their statements are never evicted.
 */
export function preparePerShape<Shape, Args extends object, Row>(
  prepareShape: (shape: Shape) => Statement<Args, Row>,
): (shape: Shape) => Statement<Args, Row> {
  const statements = new Map<string, Statement<Args, Row>>();
  return (shape) => {
    const key = JSON.stringify(shape);
    const statement = statements.get(key) ?? prepareShape(shape);
    statements.set(key, statement);
    return statement;
  };
}

type RunSql = (sql: string, parameters: readonly unknown[]) => { rows: unknown[] } | Promise<{ rows: unknown[] }>;

/** The prepared statements of one database, compiled on first use. */
export class CompiledStatements {
  readonly #db: Kysely<Tables>;
  readonly #compiled = new WeakMap<object, CompiledQuery>();

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async run<Args extends object, Row>(execute: RunSql, statement: Statement<Args, Row>, args: Args): Promise<Row[]> {
    let query = this.#compiled.get(statement);
    if (!query) {
      const placeholders = Object.fromEntries(
        Object.keys(args).map((name) => [name, sql`${new Placeholder(name)}` as Expression<unknown>]),
      );
      query = statement.build(this.#db, placeholders as ArgumentExpressions<Args>).compile();
      this.#compiled.set(statement, query);
    }
    const { rows } = await execute(query.sql, fillPlaceholders(query, args));
    return rows as Row[];
  }
}

function fillPlaceholders(query: CompiledQuery, args: object): unknown[] {
  const values = args as Readonly<Record<string, unknown>>;
  return query.parameters.map((value) => (value instanceof Placeholder ? values[value.name] : value));
}
