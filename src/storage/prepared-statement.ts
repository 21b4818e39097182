import { type Compilable, type CompiledQuery, type Expression, type Kysely, sql } from 'kysely';
import { named } from './names.ts';
import type { Tables } from './tables.ts';

/** The place of an argument in SQL that is made once and run often. */
class Placeholder {
  readonly name: string | number;

  constructor(name: string | number) {
    this.name = name;
  }
}

/** An expression that stands for an argument until the query is run. */
export function placeholder<T>(name: string | number): Expression<T> {
  return sql`${new Placeholder(name)}`;
}

/** The parameters of a query with the arguments in their places. */
export function filledIn(query: CompiledQuery, args: object): unknown[] {
  const given = args as Readonly<Record<string | number, unknown>>;
  return query.parameters.map((value) => (value instanceof Placeholder ? given[value.name] : value));
}

type Given<Args> = { readonly [Name in keyof Args]: Expression<Args[Name]> };

/** A statement for many runs: to build and compile it costs several times as much as SQLite needs to carry it out. */
export interface HotStatement<Args extends object, Row> {
  build(db: Kysely<Tables>, given: Given<Args>): Compilable<Row>;
}

/** Defines a statement by what it is given: every run gives the same names. */
export function hotStatement<Args extends object, Row = unknown>(
  build: HotStatement<Args, Row>['build'],
): HotStatement<Args, Row> {
  return { build };
}

type Run = (sql: string, parameters: readonly unknown[]) => { rows: unknown[] } | Promise<{ rows: unknown[] }>;

/** The hot statements of one database, each compiled at its first run. */
export class CompiledStatements {
  readonly #db: Kysely<Tables>;
  readonly #compiled = new WeakMap<object, CompiledQuery>();

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async run<Args extends object, Row>(execute: Run, statement: HotStatement<Args, Row>, args: Args): Promise<Row[]> {
    let query = this.#compiled.get(statement);
    if (!query) {
      const given = Object.fromEntries(Object.keys(args).map((name) => [name, placeholder(name)]));
      query = statement.build(this.#db, given as Given<Args>).compile();
      this.#compiled.set(statement, query);
    }
    const { rows } = await execute(query.sql, filledIn(query, args));
    return named(rows);
  }
}
