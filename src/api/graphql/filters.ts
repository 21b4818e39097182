import { type IdFilter, parseIdFilter, parseTextFilter, type TextFilter } from '../../core/kernel/filters.ts';

/** A filter on an identifier; an empty one counts as not given only where it is null. */
export function idFilter(name: string, value: string | null | undefined): IdFilter | undefined {
  return value === null || value === undefined ? undefined : parseIdFilter(['filter', name], value);
}

export function textFilter(name: string, value: string | null | undefined): TextFilter | undefined {
  return value === null || value === undefined ? undefined : parseTextFilter(['filter', name], value);
}
