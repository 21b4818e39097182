import type { FastifyRequest } from 'fastify';
import { invalid, invalidField } from '../../core/kernel/errors.ts';
import { type IdFilter, parseIdFilter, parseTextFilter, type TextFilter } from '../../core/kernel/filters.ts';
import { parseId } from '../../core/kernel/ids.ts';
import type { NamedMoment } from '../../core/kernel/period.ts';
import { parseForm } from './body.ts';
import { readMoment } from './dates.ts';

export const DEFAULT_LIMIT = 20;
export const MAX_PER_PAGE = 100;

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
    limit: Math.min(readPositive(query, 'limit', DEFAULT_LIMIT), MAX_PER_PAGE),
  };
}

export function listSelection(query: Query): Selection {
  return namedFields(query) ?? (query.full === '1' || query.full === 'true' ? 'all' : NOTHING_MORE);
}

export function singleSelection(query: Query): Selection {
  return namedFields(query) ?? 'all';
}

/** What a filter takes: identifiers, a text, a day or a second, or words out of a list. */
export type FilterDefinition =
  | { readonly name: string; readonly kind: 'id' | 'text' | 'moment' }
  | { readonly name: string; readonly kind: 'word' | 'words'; readonly words: readonly string[] };

/** The filters of a resource by their name in a query, with their name in the code. */
export type FilterTable = Readonly<Record<string, FilterDefinition>>;

export type FilterValue = IdFilter | TextFilter | NamedMoment | readonly string[];

export type Filters = Readonly<Record<string, FilterValue>>;

/** The filters by the names of the code. One that the resource does not have is refused: ignoring it would show the wrong rows. */
export function readFilters(query: Query, table: FilterTable): Filters {
  const given = query.filters;
  if (given === undefined || given === '') return {};
  const allowed = Object.keys(table).join(', ');
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw invalidField('filters', `must be given as filters[<field>]=<value> with a field of ${allowed}`);
  }
  const filters: Record<string, FilterValue> = {};
  for (const [wire, raw] of Object.entries(given)) {
    const filter = Object.hasOwn(table, wire) ? table[wire] : undefined;
    if (!filter)
      throw invalid([{ path: ['filters', wire], code: 'unknown', rule: `is none of the filters here: ${allowed}` }]);
    filters[filter.name] = readFilter(['filters', wire], raw, filter);
  }
  return filters;
}

function readFilter(path: readonly string[], raw: unknown, filter: FilterDefinition): FilterValue {
  const isList = filter.kind === 'id' || filter.kind === 'words';
  const text = isList && Array.isArray(raw) ? raw.join(',') : raw;
  if (typeof text !== 'string') throw invalid([{ path, code: 'invalid', rule: 'must be one value' }]);
  if ('words' in filter) return readWords(path, text, filter);
  if (filter.kind === 'id') return parseIdFilter(path, text);
  return filter.kind === 'text' ? parseTextFilter(path, text) : readMoment(path, text);
}

function readWords(
  path: readonly string[],
  text: string,
  { kind, words }: { kind: 'word' | 'words'; words: readonly string[] },
): readonly string[] {
  const given = kind === 'word' ? [text] : text.split(',', words.length + 1).map((word) => word.trim());
  if (given.every((word) => words.includes(word))) return [...new Set(given)];
  const several = kind === 'words' ? ', or several of them with commas' : '';
  throw invalidField(path, `must be one of ${words.join(', ')}${several}`);
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
