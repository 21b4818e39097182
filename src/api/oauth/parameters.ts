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
  const [media = ''] = request.headers['content-type']?.toLowerCase().split(';') ?? [];
  if (media.trim() !== 'application/x-www-form-urlencoded') {
    throw invalidRequest('the body must be application/x-www-form-urlencoded');
  }
  return new URLSearchParams(decoded(request.body as Buffer | undefined));
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

function decoded(body: Buffer | undefined): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    decodeURIComponent(text.replaceAll('+', ' '));
    return text;
  } catch {
    throw invalidRequest('the body cannot be read');
  }
}

function invalidRequest(description: string): OAuthError {
  return new OAuthError(400, 'invalid_request', description);
}
