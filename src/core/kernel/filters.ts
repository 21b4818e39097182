import { type Expression, type SqlBool, sql } from 'kysely';
import { invalidField } from './errors.ts';
import { parseId } from './ids.ts';
import { fold } from './text.ts';

/** Matches a whole text, a prefix, or a pattern with `*` anywhere. */
export type TextFilter =
  | { readonly kind: 'exact'; readonly text: string }
  | { readonly kind: 'prefix'; readonly text: string }
  | { readonly kind: 'pattern'; readonly parts: readonly string[] };

/** Matches an identifier in a list, or a pattern of its decimal text. */
export type IdFilter =
  | { readonly kind: 'ids'; readonly ids: readonly number[] }
  | { readonly kind: 'pattern'; readonly parts: readonly string[] };

const MAX_STARS = 5;
const MAX_CHARACTERS = 255;
const MAX_IDS = 500;
const TEXT_RULE = `must be text of at most ${MAX_CHARACTERS} characters with at most ${MAX_STARS} '*', without NUL or half surrogate pairs`;
const ID_RULE = `must be an identifier, a comma-separated list of at most ${MAX_IDS} identifiers, or digits with at most ${MAX_STARS} '*'`;

export function parseTextFilter(path: readonly string[], value: string): TextFilter {
  const parts = fold(value).split('*');
  if (value.length > MAX_CHARACTERS || parts.length - 1 > MAX_STARS || value.includes('\0') || !value.isWellFormed()) {
    throw invalidField(path, TEXT_RULE);
  }
  const [first = '', second] = parts;
  if (second === undefined) return { kind: 'exact', text: first };
  if (parts.length === 2 && second === '') return { kind: 'prefix', text: first };
  return { kind: 'pattern', parts };
}

export function parseIdFilter(path: readonly string[], value: string): IdFilter {
  if (value.includes('*')) {
    const parts = value.split('*');
    if (value.length > 32 || parts.length - 1 > MAX_STARS || !/^[0-9*]+$/.test(value))
      throw invalidField(path, ID_RULE);
    return { kind: 'pattern', parts };
  }
  const ids = value.length > MAX_IDS * 17 ? [] : value.split(',').map((part) => parseId(part.trim()));
  if (ids.length === 0 || ids.length > MAX_IDS || ids.includes(undefined)) throw invalidField(path, ID_RULE);
  return { kind: 'ids', ids: [...new Set(ids as number[])] };
}

/** Builds the condition on a folded column. An exact text or a prefix is a range of its index. */
export function buildTextCondition(column: Expression<string | null>, filter: TextFilter): Expression<SqlBool> {
  if (filter.kind === 'exact') return sql<SqlBool>`${column} = ${filter.text}`;
  if (filter.kind === 'pattern') return sql<SqlBool>`${column} like ${toLikePattern(filter.parts)} escape '\\'`;
  const end = findPrefixEnd(filter.text);
  if (end === undefined) return sql<SqlBool>`${column} >= ${filter.text}`;
  return sql<SqlBool>`(${column} >= ${filter.text} and ${column} < ${end})`;
}

/** Builds the condition on an identifier column. Digits with one trailing `*` become a few ranges of its index. */
export function buildIdCondition(column: Expression<number | null>, filter: IdFilter): Expression<SqlBool> {
  if (filter.kind === 'ids') return sql<SqlBool>`${column} in (${sql.join(filter.ids)})`;
  const ranges = toIdRanges(filter.parts);
  if (!ranges) return sql<SqlBool>`cast(${column} as text) like ${toLikePattern(filter.parts)} escape '\\'`;
  const conditions = ranges.map(([low, high]) => sql<SqlBool>`${column} between ${low} and ${high}`);
  return sql<SqlBool>`(${sql.join(conditions, sql` or `)})`;
}

/** Checks the condition of `buildIdCondition` in memory. */
export function matchesIdFilter(id: number, filter: IdFilter): boolean {
  if (filter.kind === 'ids') return filter.ids.includes(id);
  return new RegExp(`^${filter.parts.join('.*')}$`).test(String(id));
}

/** `12*` is 12, 120 to 129, 1200 to 1299, … up to the largest safe integer; `*` alone matches everything. */
export function toIdRanges(parts: readonly string[]): [number, number][] | undefined {
  const [prefix = '', rest, ...more] = parts;
  if (rest !== '' || more.length > 0) return undefined;
  if (prefix === '') return [[1, Number.MAX_SAFE_INTEGER]];
  const ranges: [number, number][] = [];
  const start = parseId(prefix);
  if (start === undefined) return [[0, 0]];
  for (let low = start, high = start; low <= Number.MAX_SAFE_INTEGER; low *= 10, high = high * 10 + 9) {
    ranges.push([low, Math.min(high, Number.MAX_SAFE_INTEGER)]);
  }
  return ranges;
}

function toLikePattern(parts: readonly string[]): string {
  return parts.map((part) => part.replace(/[\\%_]/g, '\\$&')).join('%');
}

/** Returns the smallest text, by code point, that sorts after every text with this prefix. */
function findPrefixEnd(prefix: string): string | undefined {
  const points = [...prefix];
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const next = nextCodePoint(last.codePointAt(0) as number);
    if (next !== undefined) return points.join('') + String.fromCodePoint(next);
  }
  return undefined;
}

function nextCodePoint(point: number): number | undefined {
  if (point === 0x10ffff) return undefined;
  return point === 0xd7ff ? 0xe000 : point + 1;
}
