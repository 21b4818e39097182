import type { FastifyRequest } from 'fastify';

/** An error in the words of RFC 6749. */
export class OAuthError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, description: string) {
    super(description);
    this.status = status;
    this.code = code;
  }
}

/** The parameters of a token request: from the body alone, which must be a form. */
export function readParameters(request: FastifyRequest): URLSearchParams {
  if (mediaOf(request) !== 'application/x-www-form-urlencoded') {
    throw invalidRequest('the body must be application/x-www-form-urlencoded');
  }
  return new URLSearchParams(decoded(request.body as Buffer | undefined));
}

/** The code of a single sign-on: from a form, or from an object in JSON. */
export function readCode(request: FastifyRequest): string {
  if (mediaOf(request) !== 'application/json') return required(readParameters(request), 'code');
  const text = plainText(request.body as Buffer | undefined);
  try {
    const { code } = JSON.parse(text) as { code?: unknown };
    return required(new URLSearchParams(typeof code === 'string' ? { code } : {}), 'code');
  } catch (error) {
    throw error instanceof OAuthError ? error : invalidRequest('the body cannot be read');
  }
}

/** A parameter that must be there, once and not empty. */
export function required(parameters: URLSearchParams, name: string): string {
  const values = parameters.getAll(name);
  const [value] = values;
  if (value === undefined || value === '') throw invalidRequest(`the parameter ${name} is missing`);
  if (values.length > 1) throw invalidRequest(`the parameter ${name} is repeated`);
  if (value.length > 1024) throw invalidRequest(`the parameter ${name} is too long`);
  return value;
}

function mediaOf(request: FastifyRequest): string {
  const [media = ''] = request.headers['content-type']?.toLowerCase().split(';') ?? [];
  return media.trim();
}

function decoded(body: Buffer | undefined): string {
  const text = plainText(body);
  try {
    decodeURIComponent(text.replaceAll('+', ' '));
    return text;
  } catch {
    throw invalidRequest('the body cannot be read');
  }
}

function plainText(body: Buffer | undefined): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw invalidRequest('the body cannot be read');
  }
}

function invalidRequest(description: string): OAuthError {
  return new OAuthError(400, 'invalid_request', description);
}
