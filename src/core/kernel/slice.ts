import type { SelectQueryBuilder } from 'kysely';

/**
 * A part of a newest-first list, delimited by identifiers, so that it stays correct while rows are added and deleted.
 */
export interface Slice {
  readonly limit: number;
  /** Only rows after this identifier in the list: older ones. */
  readonly after?: number | undefined;
  /** Only rows before this identifier in the list: newer ones. */
  readonly before?: number | undefined;
  /** Takes rows from the end of the list: the oldest ones. */
  readonly backwards: boolean;
}

export interface SlicePage<Row> {
  readonly rows: readonly Row[];
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
}

/** Restricts a query to a slice plus one row, which shows whether there are more. */
export function applySlice<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  column: string,
  slice: Slice,
): SelectQueryBuilder<DB, TB, O> {
  return applySliceBounds(query, column, slice)
    .orderBy(column as never, slice.backwards ? 'asc' : 'desc')
    .limit(slice.limit + 1);
}

/** Restricts a query to the rows between the ends of a slice. */
export function applySliceBounds<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  column: string,
  { after, before }: Slice,
): SelectQueryBuilder<DB, TB, O> {
  const id = column as never;
  let bounded = query;
  if (after !== undefined) bounded = bounded.where(id, '<', after as never);
  if (before !== undefined) bounded = bounded.where(id, '>', before as never);
  return bounded;
}

/** Puts the rows of a slice into list order, without the extra row. */
export function toSlicePage<Row>(rows: readonly Row[], { limit, after, before, backwards }: Slice): SlicePage<Row> {
  const hasMore = rows.length > limit;
  const pageRows = rows.slice(0, limit);
  // The row of a cursor is outside the slice, so there is at least one more row on its side.
  const [hasRowsBefore, hasRowsAfter] = [after !== undefined, before !== undefined];
  if (backwards) return { rows: pageRows.reverse(), hasPrevious: hasMore || hasRowsBefore, hasNext: hasRowsAfter };
  return { rows: pageRows, hasNext: hasMore || hasRowsAfter, hasPrevious: hasRowsBefore };
}
