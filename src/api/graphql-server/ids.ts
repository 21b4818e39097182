import { invalidField, unknownId } from '../../core/kernel/errors.ts';
import { parseId } from '../../core/kernel/ids.ts';
import { graphqlError } from './errors.ts';

/** The number behind an identifier of a query; undefined for a text that can name nothing. */
export function readId(text: string): number | undefined {
  return parseId(text);
}

/** The number behind an identifier of an input; one that can name nothing is a mistake of the field. */
export function inputId(path: string, text: string): number {
  const id = parseId(text);
  if (id === undefined) throw invalidField(path, 'must be an identifier: decimal digits');
  return id;
}

export function inputIds(path: string, texts: readonly string[], most = Number.POSITIVE_INFINITY): number[] {
  if (texts.length > most) throw invalidField(path, `must be ${most} at most`);
  return texts.map((text) => inputId(path, text));
}

/** The number of the thing that a mutation changes; a text that can name nothing names nothing. */
export function idOf(thing: string, text: string): number {
  const id = parseId(text);
  if (id === undefined) throw unknownId(thing, text);
  return id;
}

/** A position of the event log in an argument: decimal digits. */
export function readPosition(name: string, text: string | null | undefined): number | undefined {
  if (text === null || text === undefined) return undefined;
  const position = text === '0' ? 0 : parseId(text);
  if (position === undefined) throw graphqlError('BAD_REQUEST', `${name} must be a position: decimal digits.`);
  return position;
}
