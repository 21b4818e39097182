/** Column types that differ between the two databases. */
export interface ColumnTypes {
  /** Text that sorts by code point, so that a prefix is a range of an index. */
  readonly orderedText: string;
}

export interface Migration {
  readonly name: string;
  /** It only adds: nodes of the previous version can still run and start. */
  readonly additive?: boolean;
  statements(types: ColumnTypes): readonly string[];
}
