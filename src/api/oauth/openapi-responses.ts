import { z } from 'zod';
import type { ZodOpenApiResponseObject } from 'zod-openapi';
import { headerRefs } from '../http/openapi.ts';

const oauthError = z
  .object({
    error: z.string().meta({ description: 'Error code.' }),
    error_description: z.string().meta({ description: 'Error message.' }),
    reason: z
      .string()
      .optional()
      .meta({ description: 'The broken rule of a password that is not accepted, for programs.' }),
  })
  .meta({ id: 'OAuthError', description: 'An error response (RFC 6749).' });

export function commonErrors(allowed = 'POST') {
  return {
    405: errorResponse(
      'The method is not allowed here.',
      { invalid_request: `method not allowed; allowed methods: ${allowed}` },
      'Allow',
    ),
    500: errorResponse('Internal error, logged under the request id.', {
      server_error: 'Internal error.',
    }),
    503: errorResponse(
      'The service cannot answer right now.',
      { temporarily_unavailable: 'The service cannot answer right now. Nothing was changed.' },
      'Retry-After',
    ),
  };
}

export function bodyErrors() {
  return {
    413: errorResponse('The body is larger than 1 MiB.', { invalid_request: 'The body is too large: at most 1 MiB.' }),
  };
}

export function formBody(schema: z.ZodObject, value: object) {
  return {
    description: schema.meta()?.description ?? '',
    required: true,
    content: { 'application/x-www-form-urlencoded': { schema, example: value } },
  };
}

export function jsonResponse(description: string, schema: z.ZodType, value: object): ZodOpenApiResponseObject {
  return {
    description,
    headers: headerRefs('X-Request-Id'),
    content: { 'application/json': { schema, example: value } },
  };
}

export function htmlResponse(description: string, ...headers: string[]): ZodOpenApiResponseObject {
  return {
    description,
    headers: headerRefs('X-Request-Id', ...headers),
    content: { 'text/html': { schema: { type: 'string' } } },
  };
}

/** One example for each error. */
export function errorResponse(
  description: string,
  errors: Record<string, string>,
  ...headers: string[]
): ZodOpenApiResponseObject {
  const examples = Object.entries(errors).map(([error, description]) => [
    error,
    { summary: error, value: { error, error_description: description } },
  ]);
  return {
    description,
    headers: headerRefs('X-Request-Id', ...headers),
    content: { 'application/json': { schema: oauthError, examples: Object.fromEntries(examples) } },
  };
}
