/** A window on a list: how many rows to skip and how many to take. */
export interface Window {
  readonly offset: number;
  readonly limit: number;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Rows in the whole list. */
  readonly count: number;
}
