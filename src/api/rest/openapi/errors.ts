import type { ZodOpenApiResponseObject } from 'zod-openapi';
import { DomainError, invalid, unknownId } from '../../../core/kernel/errors.ts';
import { HttpError, httpError } from '../../http/http-error.ts';
import { renderFailure } from '../envelope.ts';
import { INTERNAL_ERROR, type RestError, toRestError, UnsupportedMedia } from '../errors.ts';
import { failureEnvelope } from './envelope-schemas.ts';
import { responseHeaders } from './headers.ts';

type Examples = Readonly<Record<string, { summary: string; error: unknown }>>;

/** Every error response. The example bodies are rendered by the same code as real ones. */
export const errorResponses = {
  BadRequest: errorResponse('The input is not valid.', {
    missing: {
      summary: 'A field is missing',
      error: invalid([
        { path: ['email'], code: 'missing', rule: 'must be a valid e-mail address of at most 254 characters' },
      ]),
    },
    several: {
      summary: 'Several problems',
      error: invalid([
        { path: ['chatMaxNumber'], code: 'invalid', rule: 'must be a whole number from 1 to 50' },
        { path: ['foo'], code: 'unknown', rule: 'is not a known field' },
      ]),
    },
    filter: {
      summary: 'A filter that the resource does not have',
      error: new DomainError('invalid', "Filter 'phone' is unknown. Allowed filters: id, name, email."),
    },
  }),
  Forbidden: errorResponse('No valid key, or a write with a read key.', {
    forbidden: { summary: 'Forbidden', error: new DomainError('forbidden', 'Forbidden') },
  }),
  NotFound: errorResponse('The account of the key has no resource with this identifier.', {
    unknown: { summary: 'Unknown identifier', error: unknownId('operator', 456) },
  }),
  MethodNotAllowed: errorResponse(
    'The method is not allowed here; `Allow` lists the allowed methods.',
    { method: { summary: 'Method not allowed', error: new HttpError(405, 'The method PATCH is not allowed here.') } },
    'Allow',
  ),
  Conflict: errorResponse(
    'The change conflicts with existing data, or a request with the same `Idempotency-Key` is still running.',
    {
      duplicate: {
        summary: 'Duplicate value',
        error: new DomainError('conflict', '', {
          problems: [{ path: ['email'], code: 'invalid', rule: 'is already used' }],
        }),
      },
      in_use: {
        summary: 'Still in use',
        error: new DomainError('conflict', 'The group 3 is in use: operators (4), child groups (1).'),
      },
      last_admin: {
        summary: 'The last admin',
        error: new DomainError('conflict', 'The last admin of an account cannot be deleted.'),
      },
      in_progress: {
        summary: 'The first request is still running',
        error: new DomainError('in_progress', 'A request with this Idempotency-Key is still running.'),
      },
    },
    'Retry-After',
  ),
  TooLarge: errorResponse('The body is larger than 1 MiB.', {
    large: { summary: 'Too large', error: httpError(413) },
  }),
  UnsupportedMediaType: errorResponse('The body is neither a form nor JSON, not UTF-8, or compressed.', {
    media: { summary: 'Unsupported media type', error: new UnsupportedMedia() },
  }),
  OtherRequest: errorResponse('The `Idempotency-Key` was already used for a different request.', {
    other: {
      summary: 'The key was used before',
      error: new DomainError('other_request', 'This Idempotency-Key was used for another request.'),
    },
  }),
  TooManyRequests: errorResponse(
    'Too many downloads at the same time from this address.',
    {
      downloads: {
        summary: 'Too many downloads',
        error: new DomainError('limited', 'Too many downloads at the same time. Try again later.'),
      },
    },
    'Retry-After',
  ),
  InternalError: errorResponse('Internal error, logged under the request id.', {
    internal: { summary: 'Internal error', error: INTERNAL_ERROR },
  }),
  Unavailable: errorResponse(
    'The service cannot answer right now. If it is unknown whether a write was committed, the message says so.',
    {
      unavailable: {
        summary: 'Nothing was changed',
        error: new DomainError('unavailable', 'The service cannot answer right now. Nothing was changed.'),
      },
      outcome_unknown: {
        summary: 'The outcome of a write is unknown',
        error: new DomainError(
          'outcome_unknown',
          'The database connection was lost during the change: it is not known whether it was made.',
        ),
      },
      slow: {
        summary: 'The read took too long',
        error: new DomainError('unavailable', 'The read takes too long. Narrow the filters.'),
      },
    },
    'Retry-After',
  ),
} satisfies Record<string, ZodOpenApiResponseObject>;

export type ErrorName = keyof typeof errorResponses;

const ERROR_STATUSES: Record<ErrorName, `${number}`> = {
  BadRequest: '400',
  Forbidden: '403',
  NotFound: '404',
  MethodNotAllowed: '405',
  Conflict: '409',
  TooLarge: '413',
  UnsupportedMediaType: '415',
  OtherRequest: '422',
  TooManyRequests: '429',
  InternalError: '500',
  Unavailable: '503',
};

const COMMON_ERRORS: readonly ErrorName[] = [
  'BadRequest',
  'Forbidden',
  'MethodNotAllowed',
  'InternalError',
  'Unavailable',
];

/** References to the errors of an operation: the common errors and `otherErrors`. */
export function errorRefs(...otherErrors: ErrorName[]): Record<`${number}`, { $ref: string }> {
  return Object.fromEntries(
    [...COMMON_ERRORS, ...otherErrors].map((name) => [
      ERROR_STATUSES[name],
      { $ref: `#/components/responses/${name}` },
    ]),
  );
}

function errorResponse(description: string, examples: Examples, ...headers: string[]): ZodOpenApiResponseObject {
  return {
    description,
    headers: responseHeaders(...headers),
    content: {
      'application/json': {
        schema: failureEnvelope,
        examples: Object.fromEntries(
          Object.entries(examples).map(([name, { summary, error }]) => [name, { summary, value: renderBody(error) }]),
        ),
      },
    },
  };
}

function renderBody(error: unknown): unknown {
  return JSON.parse(renderFailure(error === INTERNAL_ERROR ? INTERNAL_ERROR : (toRestError(error) as RestError)));
}
