import { type Compilable, type CompiledQuery, type Expression, type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

/** Marks the position of an argument in compiled SQL, or of an item of an argument that is a list. */
class Placeholder {
  readonly name: string;
  readonly index: number | undefined;

  constructor(name: string, index?: number) {
    this.name = name;
    this.index = index;
  }
}

/** A list is an expression for the right side of `in`. */
type ArgumentExpressions<Args> = {
  readonly [Name in keyof Args]: Expression<Args[Name] extends readonly (infer Item)[] ? Item : Args[Name]>;
};

/**
 * Compiled once and run often: building and compiling costs several times as much as SQLite needs to execute it. With a
 * list among the arguments it is compiled once for lists of up to 1, 2, 4, 8 … items: shorter ones repeat their last
 * item, which changes nothing for `in`.
 */
export interface Statement<Args extends object, Row> extends StatementFacts<Args> {
  build(db: Kysely<Tables>, args: ArgumentExpressions<Args>): Compilable<Row>;
}

/** Names something that is read and written, such as one row: `conversation 7`. */
export type Fact = string;

/**
 * Lets the first reads of a change be sent while earlier changes of its account still run; a read is repeated if a fact
 * that it depends on was written since.
 */
export interface StatementFacts<Args> {
  /** What the rows depend on, apart from writes that name no facts. Without it, nothing is sent ahead. */
  readonly reads?: (args: Args) => readonly Fact[];
  /** What a write changes, of all that statements say they read. Without it, a write counts as changing everything. */
  readonly writes?: (args: Args) => readonly Fact[];
}

/** Defines a statement. Every run must pass the same argument names. */
export function prepare<Args extends object, Row = unknown>(
  build: Statement<Args, Row>['build'],
  facts: StatementFacts<Args> = {},
): Statement<Args, Row> {
  return { build, ...facts };
}

/** For writes of what nothing reads ahead, and for reads of what only writes without facts change. */
export const NO_FACTS = (): readonly Fact[] => [];

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
  /** By the length of their list; 0 without a list. */
  readonly #compiled = new WeakMap<object, Map<number, CompiledQuery>>();

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async run<Args extends object, Row>(execute: RunSql, statement: Statement<Args, Row>, args: Args): Promise<Row[]> {
    const query = this.#compileOnce(statement, args);
    const { rows } = await execute(query.sql, fillPlaceholders(query, args));
    return rows as Row[];
  }

  #compileOnce<Args extends object>(statement: Statement<Args, unknown>, args: Args): CompiledQuery {
    let queries = this.#compiled.get(statement);
    if (!queries) {
      queries = new Map();
      this.#compiled.set(statement, queries);
    }
    const listLength = findListLength(args);
    let query = queries.get(listLength);
    if (!query) {
      const placeholders = Object.entries(args).map(([name, value]) => [name, toExpression(name, value, listLength)]);
      query = statement.build(this.#db, Object.fromEntries(placeholders)).compile();
      queries.set(listLength, query);
    }
    return query;
  }
}

/** Returns the length for which the statement is compiled: a power of two, so that there are few texts. */
function findListLength(args: object): number {
  let length = 0;
  for (const value of Object.values(args)) {
    if (Array.isArray(value)) while (length < Math.max(value.length, 1)) length = Math.max(1, length * 2);
  }
  return length;
}

function toExpression(name: string, value: unknown, listLength: number): Expression<unknown> {
  if (!Array.isArray(value)) return sql`${new Placeholder(name)}`;
  const items = Array.from({ length: listLength }, (_, index) => sql`${new Placeholder(name, index)}`);
  return sql`(${sql.join(items)})`;
}

function fillPlaceholders(query: CompiledQuery, args: object): unknown[] {
  const values = args as Readonly<Record<string, unknown>>;
  return query.parameters.map((value) => {
    if (!(value instanceof Placeholder)) return value;
    if (value.index === undefined) return values[value.name];
    const list = values[value.name] as readonly unknown[];
    return list[Math.min(value.index, list.length - 1)] ?? null; // null matches nothing: the list is empty
  });
}
