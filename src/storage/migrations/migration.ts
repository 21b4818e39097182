/** The words in which the two databases differ when a table is made. */
export interface ColumnWords {
  /** Text that compares by code point, so that a prefix is a range of an index. */
  readonly orderedText: string;
}

export interface Migration {
  readonly name: string;
  /** It only adds: nodes of the version before may run, and start, beside those that have made it. */
  readonly additive?: boolean;
  statements(words: ColumnWords): readonly string[];
}
