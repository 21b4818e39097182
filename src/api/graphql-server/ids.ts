import { invalidField, unknownId } from '../../core/kernel/errors.ts';
import { parseId } from '../../core/kernel/ids.ts';
import { graphqlError } from './errors.ts';

/** Parses an identifier in a query argument; undefined if it is not valid, so that the query finds nothing. */
export function parseIdArgument(text: string): number | undefined {
  return parseId(text);
}

/** Parses an identifier in an input field; the error names the field. */
export function parseIdField(path: string | readonly string[], text: string): number {
  const id = parseId(text);
  if (id === undefined) throw invalidField(path, 'must be an identifier: decimal digits');
  return id;
}

export function parseIdListField(path: string, texts: readonly string[], max = Number.POSITIVE_INFINITY): number[] {
  if (texts.length > max) throw invalidField(path, `must have at most ${max} items`);
  return texts.map((text) => parseIdField(path, text));
}

/** Parses the identifier of the object that a mutation changes. An invalid identifier counts as unknown. */
export function requireId(kind: string, text: string): number {
  const id = parseId(text);
  if (id === undefined) throw unknownId(kind, text);
  return id;
}

export function parsePosition(name: string, text: string | null | undefined): number | undefined {
  if (text === null || text === undefined) return undefined;
  const position = text === '0' ? 0 : parseId(text);
  if (position === undefined) throw graphqlError('BAD_REQUEST', `${name} must be a position: decimal digits.`);
  return position;
}
