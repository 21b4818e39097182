/** Column types that differ between the two databases. */
export interface ColumnTypes {
  /** Text that sorts by code point, so that a prefix is a range of an index. */
  readonly orderedText: string;
  readonly bytes: string;
  /**
   * Creates a table for what nodes tell each other, which is emptied after a crash. Undefined if the database has only
   * one node.
   */
  readonly createUnloggedTable?: string;
  /** Triggers call functions in PL/pgSQL. Otherwise they consist of statements. */
  readonly hasTriggerFunctions?: true;
}

/** An index on a table that may be large. It is built in the background, without blocking writes on PostgreSQL. */
export interface IndexDefinition {
  readonly name: string;
  /** Table, columns and condition: what follows `create index … on`. */
  readonly on: string;
}

/**
 * Sets columns of rows that earlier versions wrote. Runs in the background, in batches by ranges of the key, and twice:
 * a node of the previous version can still write such rows during an upgrade. Code must accept rows that are not filled.
 */
export interface Fill {
  /** Never reused: progress is stored under it. */
  readonly name: string;
  readonly table: string;
  /** The primary key, in its order. Only numbers, because the databases sort texts differently. */
  readonly key: readonly string[];
  /** SQL: what follows `set`. */
  readonly set: string;
  /** SQL: the rows that are not filled yet. Repeating a batch must change nothing, so a filled row may not match. */
  readonly where: string;
}

export interface Migration {
  readonly name: string;
  /** The migration only adds to the schema, so nodes of the previous version can still start and run. */
  readonly additive?: boolean;
  /** Run before this version serves: only what is quick on a large table, such as a new table or column. */
  statements(types: ColumnTypes): readonly string[];
  readonly indexes?: readonly IndexDefinition[];
  readonly fills?: readonly Fill[];
}
