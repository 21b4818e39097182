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
  { limit, after, before, backwards }: Slice,
): SelectQueryBuilder<DB, TB, O> {
  const id = column as never;
  let part = query.orderBy(id, backwards ? 'asc' : 'desc').limit(limit + 1);
  if (after !== undefined) part = part.where(id, '<', after as never);
  if (before !== undefined) part = part.where(id, '>', before as never);
  return part;
}

/** The rows of a slice in the order of the list, without the one too many. */
export function cut<Row>(rows: readonly Row[], { limit, after, before, backwards }: Slice): SlicePage<Row> {
  const more = rows.length > limit;
  const own = rows.slice(0, limit);
  if (backwards) return { rows: own.reverse(), hasPrevious: more, hasNext: before !== undefined };
  return { rows: own, hasNext: more, hasPrevious: after !== undefined };
}
