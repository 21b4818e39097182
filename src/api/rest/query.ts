import type { FastifyRequest } from 'fastify';
import { invalid, invalidField } from '../../core/errors.ts';
import { type IdFilter, parseIdFilter, parseTextFilter, type TextFilter } from '../../core/filters.ts';
import { parseId } from '../../core/ids.ts';
import { parseForm } from './body.ts';

export const DEFAULT_LIMIT = 20;
export const MOST_PER_PAGE = 100;

export interface Paging {
  readonly page: number;
  readonly limit: number;
}

/** Which fields a read shows: all of them, or these besides `id` and `_link`. */
export type Selection = 'all' | ReadonlySet<string>;

const NOTHING_MORE: ReadonlySet<string> = new Set();

export type Query = Readonly<Record<string, unknown>>;

const NO_QUERY: Query = {};

/** The query of a request. The key in it is for the authentication alone. */
export function readQuery(request: FastifyRequest): Query {
  const { url } = request.raw;
  const start = url?.indexOf('?') ?? -1;
  return start < 0 || url === undefined ? NO_QUERY : parseForm(url.slice(start + 1));
}

/** Undefined where the request names neither a page nor a limit. */
export function readPaging(query: Query): Paging | undefined {
  if (query.page === undefined && query.limit === undefined) return undefined;
  return {
    page: readPositive(query, 'page', 1),
    limit: Math.min(readPositive(query, 'limit', DEFAULT_LIMIT), MOST_PER_PAGE),
  };
}

export function listSelection(query: Query): Selection {
  return namedFields(query) ?? (query.full === '1' || query.full === 'true' ? 'all' : NOTHING_MORE);
}

export function singleSelection(query: Query): Selection {
  return namedFields(query) ?? 'all';
}

export type Filters = Readonly<Record<string, IdFilter | TextFilter>>;

/** The filters by the names of the code. One that the resource does not have is refused: ignoring it would show the wrong rows. */
export function readFilters(
  query: Query,
  kinds: Readonly<Record<string, { name: string; kind: 'id' | 'text' }>>,
): Filters {
  const given = query.filters;
  if (given === undefined || given === '') return {};
  const allowed = Object.keys(kinds).join(', ');
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw invalidField('filters', `must be given as filters[<field>]=<value> with a field of ${allowed}`);
  }
  const filters: Record<string, IdFilter | TextFilter> = {};
  for (const [wire, raw] of Object.entries(given)) {
    const filter = Object.hasOwn(kinds, wire) ? kinds[wire] : undefined;
    if (!filter)
      throw invalid([{ path: ['filters', wire], code: 'unknown', rule: `is none of the filters here: ${allowed}` }]);
    filters[filter.name] = readFilter(['filters', wire], raw, filter.kind);
  }
  return filters;
}

function readFilter(path: readonly string[], raw: unknown, kind: 'id' | 'text'): IdFilter | TextFilter {
  const text = kind === 'id' && Array.isArray(raw) ? raw.join(',') : raw;
  if (typeof text !== 'string') throw invalid([{ path, code: 'invalid', rule: 'must be one value' }]);
  return kind === 'id' ? parseIdFilter(path, text) : parseTextFilter(path, text);
}

function readPositive(query: Query, name: string, otherwise: number): number {
  const raw = query[name];
  if (raw === undefined) return otherwise;
  const value = typeof raw === 'string' ? parseId(raw) : undefined;
  if (value === undefined) throw invalidField(name, 'must be a whole number, at least 1');
  return value;
}

/** `fields[]=name`, `fields[0]=name`, `fields=name,email`; names that do not exist are ignored. */
function namedFields(query: Query): ReadonlySet<string> | undefined {
  const { fields } = query;
  if (fields === undefined) return undefined;
  const names: unknown[] = typeof fields === 'string' ? fields.split(',') : Object.values(fields as object);
  const given = names.filter((name): name is string => typeof name === 'string' && name !== '');
  return given.length === 0 ? undefined : new Set(given);
}
