import type { SelectQueryBuilder } from 'kysely';

/** A part of a list that is ordered newest first, by the identifiers at its ends: right while rows come and go. */
export interface Slice {
  readonly limit: number;
  /** Only what comes after this identifier in the list, which is older. */
  readonly after?: number | undefined;
  /** Only what comes before this identifier in the list, which is newer. */
  readonly before?: number | undefined;
  /** Counted from the end: the oldest ones. */
  readonly backwards: boolean;
}

export interface SlicePage<Row> {
  readonly rows: readonly Row[];
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
}

/** Restricts a query to a slice, with one row more than asked for, to know whether there is more. */
export function sliced<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  column: string,
  slice: Slice,
): SelectQueryBuilder<DB, TB, O> {
  return within(query, column, slice)
    .orderBy(column as never, slice.backwards ? 'asc' : 'desc')
    .limit(slice.limit + 1);
}

/** Restricts a query to what stands between the ends of a slice. */
export function within<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  column: string,
  { after, before }: Slice,
): SelectQueryBuilder<DB, TB, O> {
  const id = column as never;
  let part = query;
  if (after !== undefined) part = part.where(id, '<', after as never);
  if (before !== undefined) part = part.where(id, '>', before as never);
  return part;
}

/** The rows of a slice in the order of the list, without the one too many. */
export function cut<Row>(rows: readonly Row[], { limit, after, before, backwards }: Slice): SlicePage<Row> {
  const more = rows.length > limit;
  const own = rows.slice(0, limit);
  const [above, below] = [after !== undefined, before !== undefined]; // what the cursors name is outside of the slice
  if (backwards) return { rows: own.reverse(), hasPrevious: more || above, hasNext: below };
  return { rows: own, hasNext: more || below, hasPrevious: above };
}
