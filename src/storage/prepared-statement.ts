import { type Compilable, type CompiledQuery, type Expression, type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

/** The place of an argument in SQL that is made once and run often. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

type Given<Args> = { readonly [Name in keyof Args]: Expression<Args[Name]> };

/** A statement for many runs: to build and compile it costs several times as much as SQLite needs to carry it out. */
export interface Statement<Args extends object, Row> {
  build(db: Kysely<Tables>, given: Given<Args>): Compilable<Row>;
}

/** Defines a statement by what it is given: every run gives the same names. */
export function prepare<Args extends object, Row = unknown>(
  build: Statement<Args, Row>['build'],
): Statement<Args, Row> {
  return { build };
}

/**
 * A statement for each shape that a question can have, where it differs by more than values: in the tables that it reads or the
 * columns that it sets. There must be few shapes, as each stays.
 */
export function statementPerShape<Shape, Args extends object, Row>(
  define: (shape: Shape) => Statement<Args, Row>,
): (shape: Shape) => Statement<Args, Row> {
  const known = new Map<string, Statement<Args, Row>>();
  return (shape) => {
    const name = JSON.stringify(shape);
    const statement = known.get(name) ?? define(shape);
    known.set(name, statement);
    return statement;
  };
}

type Run = (sql: string, parameters: readonly unknown[]) => { rows: unknown[] } | Promise<{ rows: unknown[] }>;

/** The prepared statements of one database, each compiled at its first run. */
export class CompiledStatements {
  readonly #db: Kysely<Tables>;
  readonly #compiled = new WeakMap<object, CompiledQuery>();

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async run<Args extends object, Row>(execute: Run, statement: Statement<Args, Row>, args: Args): Promise<Row[]> {
    let query = this.#compiled.get(statement);
    if (!query) {
      const given = Object.fromEntries(
        Object.keys(args).map((name) => [name, sql`${new Placeholder(name)}` as Expression<unknown>]),
      );
      query = statement.build(this.#db, given as Given<Args>).compile();
      this.#compiled.set(statement, query);
    }
    const { rows } = await execute(query.sql, filledIn(query, args));
    return rows as Row[];
  }
}

/** The parameters of a query with the arguments in their places. */
function filledIn(query: CompiledQuery, args: object): unknown[] {
  const given = args as Readonly<Record<string, unknown>>;
  return query.parameters.map((value) => (value instanceof Placeholder ? given[value.name] : value));
}
