/** Column types that differ between the two databases. */
export interface ColumnTypes {
  /** Text that sorts by code point, so that a prefix is a range of an index. */
  readonly orderedText: string;
}

export interface Migration {
  readonly name: string;
  /** The migration only adds to the schema, so nodes of the previous version can still start and run. */
  readonly additive?: boolean;
  statements(types: ColumnTypes): readonly string[];
}
