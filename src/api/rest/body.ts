import type { FastifyRequest } from 'fastify';
import { parse as parseBrackets } from 'qs';
import { DomainError, invalidField } from '../../core/kernel/errors.ts';
import { UnsupportedMedia } from './errors.ts';

const MAX_PARAMETERS = 2000;
const DEEPEST = 3;

/** Reads `a=1&b[c]=2&d[]=3` the way PHP does, within bounds. Throws on what is not UTF-8, too much, or no name. */
export function parseForm(text: string): Record<string, unknown> {
  if (text === '') return {};
  try {
    return parseBrackets(text, {
      depth: DEEPEST,
      strictDepth: true,
      parameterLimit: MAX_PARAMETERS,
      arrayLimit: MAX_PARAMETERS,
      throwOnLimitExceeded: true,
      plainObjects: true,
      decoder: decode,
    }) as Record<string, unknown>;
  } catch {
    throw new DomainError(
      'invalid',
      `The parameters cannot be read: they must be percent-encoded UTF-8, at most ${MAX_PARAMETERS}, with at most ${DEEPEST} pairs of brackets.`,
    );
  }
}

/** The fields of a write, from a form or from JSON. */
export function readBody(request: FastifyRequest): Record<string, unknown> {
  const bytes = request.body as Buffer | undefined;
  const media = mediaType(request);
  if (media !== FORM && media !== JSON_TYPE) throw new UnsupportedMedia();
  if (!bytes || bytes.length === 0) return {};
  const text = decodeUtf8(bytes);
  return media === FORM ? parseForm(text) : parseJson(text);
}

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

function mediaType(request: FastifyRequest): string | undefined {
  const header = request.headers['content-type'];
  if (request.headers['content-encoding'] && request.headers['content-encoding'] !== 'identity') return undefined;
  if (header === undefined) return FORM;
  const [type = '', ...parameters] = header.toLowerCase().split(';');
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  if (charset && !/^charset="?utf-?8"?$/.test(charset)) return undefined;
  return type.trim();
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new DomainError('invalid', 'The body is not UTF-8.');
  }
}

/** A number that is not written in plain digits: refused wherever it stands, never guessed. */
const ODD_NUMBER = Symbol('odd number');

function parseJson(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text, (_key, inner, context?: { source: string }) =>
      typeof inner === 'number' && !/^(0|[1-9][0-9]*)$/.test(context?.source ?? '') ? ODD_NUMBER : inner,
    );
  } catch {
    throw new DomainError('invalid', 'The body is not valid JSON.');
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new DomainError('invalid', 'The body must be a JSON object.');
  }
  const repeated = repeatedName(text);
  if (repeated !== undefined) throw invalidField([repeated], 'must be given once');
  return value as Record<string, unknown>;
}

function decode(text: string, _otherwise: unknown, _charset: string, kind: 'key' | 'value'): string {
  const decoded = decodeURIComponent(text.replaceAll('+', ' '));
  // The parser would drop such a name without a word, and a field or a filter must not be ignored.
  if (kind === 'key' && decoded.includes('__proto__')) throw new Error('Not a name.');
  return decoded;
}

/** The first name that stands twice in one object of a JSON text; the parser would silently take the last value. */
function repeatedName(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (const [token, string, colon] of text.matchAll(/("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}]/gs)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (string !== undefined && colon !== undefined) {
      const names = open.at(-1);
      const name = JSON.parse(string) as string;
      if (names?.has(name)) return name;
      names?.add(name);
    }
  }
  return undefined;
}
