import type { FastifyRequest } from 'fastify';
import { invalid, invalidField } from '../../core/kernel/errors.ts';
import { type IdFilter, parseIdFilter, parseTextFilter, type TextFilter } from '../../core/kernel/filters.ts';
import { parseId } from '../../core/kernel/ids.ts';
import type { PeriodBound } from '../../core/kernel/period.ts';
import { parseForm } from './body.ts';
import { parsePeriodBound } from './dates.ts';

export const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 100;

export interface Paging {
  readonly page: number;
  readonly limit: number;
}

/** The fields to return: all, or these in addition to `id` and `_link`. */
export type Selection = 'all' | ReadonlySet<string>;

const NO_FIELDS: ReadonlySet<string> = new Set();

export type Query = Readonly<Record<string, unknown>>;

const NO_QUERY: Query = {};

export function readQuery(request: FastifyRequest): Query {
  return parseQuery(request.raw.url ?? '');
}

export function parseQuery(url: string): Query {
  const start = url.indexOf('?');
  return start < 0 ? NO_QUERY : parseForm(url.slice(start + 1));
}

/** Returns undefined when the request has neither `page` nor `limit`. */
export function readPaging(query: Query): Paging | undefined {
  if (query.page === undefined && query.limit === undefined) return undefined;
  return {
    page: readPositiveInteger(query, 'page', 1),
    limit: Math.min(readPositiveInteger(query, 'limit', DEFAULT_LIMIT), MAX_LIMIT),
  };
}

export function readListSelection(query: Query): Selection {
  const isFull = readFull(query);
  return readFieldNames(query) ?? (isFull ? 'all' : NO_FIELDS);
}

function readFull({ full = '0' }: Query): boolean {
  const value = typeof full === 'string' ? full.toLowerCase() : undefined;
  if (value === '1' || value === 'true') return true;
  if (value === '0' || value === 'false') return false;
  throw invalidField('full', 'must be 1 or 0 (true or false)');
}

export function readSingleSelection(query: Query): Selection {
  return readFieldNames(query) ?? 'all';
}

/** `dateTime`: a date, or a date and time. `choice` and `choices`: one or several values of a fixed list. */
export type FilterDefinition =
  | { readonly name: string; readonly kind: 'id' | 'text' | 'dateTime' }
  | { readonly name: string; readonly kind: 'choice' | 'choices'; readonly choices: readonly string[] };

/** The filters of a resource by their name in the query; `name` is their name in the code. */
export type FilterTable = Readonly<Record<string, FilterDefinition>>;

export type FilterValue = IdFilter | TextFilter | PeriodBound | readonly string[];

export type Filters = Readonly<Record<string, FilterValue>>;

/** Rejects unknown filters: ignoring one would return the wrong rows. */
export function readFilters(query: Query, table: FilterTable): Filters {
  const rawFilters = query.filters;
  if (rawFilters === undefined || rawFilters === '') return {};
  const allowed = Object.keys(table).join(', ');
  if (typeof rawFilters !== 'object' || rawFilters === null || Array.isArray(rawFilters)) {
    throw invalidField('filters', `must have the form filters[<field>]=<value>, where <field> is one of ${allowed}`);
  }
  const filters: Record<string, FilterValue> = {};
  for (const [wireName, raw] of Object.entries(rawFilters)) {
    const filter = Object.hasOwn(table, wireName) ? table[wireName] : undefined;
    if (!filter)
      throw invalid([
        { path: ['filters', wireName], code: 'unknown', rule: `is not one of the allowed filters: ${allowed}` },
      ]);
    if (filters[filter.name] !== undefined)
      throw invalidField(['filters', wireName], 'is sent under two names: send one');
    filters[filter.name] = readFilter(['filters', wireName], raw, filter);
  }
  return filters;
}

function readFilter(path: readonly string[], raw: unknown, filter: FilterDefinition): FilterValue {
  const isList = filter.kind === 'id' || filter.kind === 'choices';
  const text = isList && Array.isArray(raw) ? raw.join(',') : raw;
  if (typeof text !== 'string') throw invalid([{ path, code: 'invalid', rule: 'must be a single value' }]);
  if ('choices' in filter) return readChoices(path, text, filter);
  if (filter.kind === 'id') return parseIdFilter(path, text);
  return filter.kind === 'text' ? parseTextFilter(path, text) : parsePeriodBound(path, text);
}

function readChoices(
  path: readonly string[],
  text: string,
  { kind, choices }: { kind: 'choice' | 'choices'; choices: readonly string[] },
): readonly string[] {
  const values = kind === 'choice' ? [text] : text.split(',', choices.length + 1).map((value) => value.trim());
  if (values.every((value) => choices.includes(value))) return [...new Set(values)];
  const listHint = kind === 'choices' ? ', or several of them separated by commas' : '';
  throw invalidField(path, `must be one of ${choices.join(', ')}${listHint}`);
}

function readPositiveInteger(query: Query, name: string, defaultValue: number): number {
  const raw = query[name];
  if (raw === undefined) return defaultValue;
  const value = typeof raw === 'string' ? parseId(raw) : undefined;
  if (value === undefined) throw invalidField(name, 'must be a whole number, at least 1');
  return value;
}

/** Reads `fields[]=name`, `fields[0]=name` or `fields=name,email`. Unknown names have no effect. */
function readFieldNames(query: Query): ReadonlySet<string> | undefined {
  const { fields } = query;
  if (fields === undefined) return undefined;
  const names: unknown[] = typeof fields === 'string' ? fields.split(',') : Object.values(fields as object);
  const nonEmpty = names.filter((name): name is string => typeof name === 'string' && name !== '');
  return nonEmpty.length === 0 ? undefined : new Set(nonEmpty);
}
