import type { FastifyRequest } from 'fastify';
import { parse as parseBrackets } from 'qs';
import { DomainError, invalidField } from '../../core/kernel/errors.ts';
import { UnsupportedMedia } from './errors.ts';

export const MAX_PARAMETERS = 2000;
const MAX_DEPTH = 3;

/** Parses `a=1&b[c]=2&d[]=3` as PHP does, within limits. Throws on invalid UTF-8, too many parameters or a bad name. */
export function parseForm(text: string): Record<string, unknown> {
  if (text === '') return {};
  try {
    return parseBrackets(text, {
      depth: MAX_DEPTH,
      strictDepth: true,
      parameterLimit: MAX_PARAMETERS,
      arrayLimit: MAX_PARAMETERS,
      throwOnLimitExceeded: true,
      plainObjects: true,
      decoder: decodeParameter,
    }) as Record<string, unknown>;
  } catch {
    throw new DomainError(
      'invalid',
      `The parameters cannot be read: they must be percent-encoded UTF-8, at most ${MAX_PARAMETERS}, with at most ${MAX_DEPTH} pairs of brackets.`,
    );
  }
}

/** Reads the fields of a write from a form or from JSON. */
export function readBody(request: FastifyRequest): Record<string, unknown> {
  const bytes = request.body as Buffer | undefined;
  const mediaType = parseMediaType(request);
  if (mediaType !== FORM_TYPE && mediaType !== JSON_TYPE) throw new UnsupportedMedia();
  if (!bytes || bytes.length === 0) return {};
  const text = decodeUtf8(bytes);
  return mediaType === FORM_TYPE ? parseForm(text) : parseJson(text);
}

export const FORM_TYPE = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

function parseMediaType(request: FastifyRequest): string | undefined {
  const header = request.headers['content-type'];
  if (request.headers['content-encoding'] && request.headers['content-encoding'] !== 'identity') return undefined;
  if (header === undefined) return FORM_TYPE;
  const [type = '', ...parameters] = header.toLowerCase().split(';');
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  if (charset && !/^charset="?utf-?8"?$/.test(charset)) return undefined;
  return type.trim();
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new DomainError('invalid', 'The body is not valid UTF-8.');
  }
}

/** `7.0` too: some languages write every number with decimals. */
const PLAIN_INTEGER = /^(0|[1-9][0-9]*)(\.0+)?$/;
/** Replaces any other number, so that every schema rejects it. */
const UNREADABLE_NUMBER = Symbol('unreadable number');

function parseJson(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text, (_key, inner, context?: { source: string }) =>
      typeof inner === 'number' && !PLAIN_INTEGER.test(context?.source ?? '') ? UNREADABLE_NUMBER : inner,
    );
  } catch {
    throw new DomainError('invalid', 'The body is not valid JSON.');
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new DomainError('invalid', 'The body must be a JSON object.');
  }
  const repeated = findRepeatedName(text);
  if (repeated !== undefined) throw invalidField([repeated], 'must be sent once');
  return value as Record<string, unknown>;
}

function decodeParameter(text: string, _defaultDecoder: unknown, _charset: string, kind: 'key' | 'value'): string {
  const decoded = decodeURIComponent(text.replaceAll('+', ' '));
  // The parser silently drops such names, but a field or a filter must not be ignored.
  if (kind === 'key' && decoded.includes('__proto__')) throw new Error('Invalid name.');
  return decoded;
}

/** The first name that is repeated within one object; `JSON.parse` would silently take the last value. */
function findRepeatedName(text: string): string | undefined {
  const openObjects: Set<string>[] = [];
  for (const [token, string, colon] of text.matchAll(/("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}]/gs)) {
    if (token === '{') openObjects.push(new Set());
    else if (token === '}') openObjects.pop();
    else if (string !== undefined && colon !== undefined) {
      const names = openObjects.at(-1);
      const name = JSON.parse(string) as string;
      if (names?.has(name)) return name;
      names?.add(name);
    }
  }
  return undefined;
}
