import type { FastifyRequest } from 'fastify';

/** An error with a code from RFC 6749. */
export class OAuthError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, description: string) {
    super(description);
    this.status = status;
    this.code = code;
  }
}

/** Reads the parameters from the body only, which must be a form. */
export function readParameters(request: FastifyRequest): URLSearchParams {
  if (readMediaType(request) !== 'application/x-www-form-urlencoded') {
    throw invalidRequest('the body must be application/x-www-form-urlencoded');
  }
  return new URLSearchParams(decodeForm(request.body as Buffer | undefined));
}

/** Reads a JSON object from the body. */
export function readJson(request: FastifyRequest): Record<string, unknown> {
  if (readMediaType(request) !== 'application/json') throw invalidRequest('the body must be application/json');
  const text = decodeUtf8(request.body as Buffer | undefined);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidRequest('the body is not valid JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidRequest('the body must be an object');
  return value as Record<string, unknown>;
}

/** Requires a text that is not empty. */
export function requireText(body: Readonly<Record<string, unknown>>, name: string): string {
  const value = body[name];
  if (typeof value !== 'string') throw invalidRequest(`the parameter ${name} is missing or not a text`);
  return requireParameter(new URLSearchParams({ [name]: value }), name);
}

/** Like `requireText`; undefined if it is absent or empty. */
export function readOptionalText(body: Readonly<Record<string, unknown>>, name: string): string | undefined {
  return body[name] === undefined || body[name] === '' ? undefined : requireText(body, name);
}

/** Reads the single sign-on code from a form or a JSON object. */
export function readCode(request: FastifyRequest): string {
  if (readMediaType(request) !== 'application/json') return requireParameter(readParameters(request), 'code');
  return requireText(readJson(request), 'code');
}

/** Requires the parameter exactly once and not empty. */
export function requireParameter(parameters: URLSearchParams, name: string): string {
  const values = parameters.getAll(name);
  const [value] = values;
  if (value === undefined || value === '') throw invalidRequest(`the parameter ${name} is missing`);
  if (values.length > 1) throw invalidRequest(`the parameter ${name} is repeated`);
  if (value.length > 1024) throw invalidRequest(`the parameter ${name} is too long`);
  return value;
}

/** Like `requireParameter`; undefined if it is absent or empty. */
export function readOptionalParameter(parameters: URLSearchParams, name: string): string | undefined {
  const isAbsent = parameters.getAll(name).join('') === '';
  return isAbsent ? undefined : requireParameter(parameters, name);
}

function readMediaType(request: FastifyRequest): string {
  const [mediaType = ''] = request.headers['content-type']?.toLowerCase().split(';') ?? [];
  return mediaType.trim();
}

function decodeForm(body: Buffer | undefined): string {
  const text = decodeUtf8(body);
  try {
    decodeURIComponent(text.replaceAll('+', ' '));
    return text;
  } catch {
    throw invalidRequest('the body cannot be read');
  }
}

function decodeUtf8(body: Buffer | undefined): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw invalidRequest('the body cannot be read');
  }
}

export function invalidRequest(description: string): OAuthError {
  return new OAuthError(400, 'invalid_request', description);
}
