import type { ZodOpenApiResponseObject } from 'zod-openapi';
import { DomainError, invalid, unknownId } from '../../../core/kernel/errors.ts';
import { HttpError, httpError } from '../../http/http-error.ts';
import { failure } from '../envelope.ts';
import { INTERNAL, type RestError, restError, UnsupportedMedia } from '../errors.ts';
import { failureEnvelope } from './envelope-schemas.ts';
import { answerHeaders } from './headers.ts';

type Examples = Readonly<Record<string, { summary: string; error: unknown }>>;

/** Every error answer. The example bodies are made by the code that makes the real ones. */
export const errorResponses = {
  BadRequest: response('The input is not valid.', {
    missing: {
      summary: 'A field is missing',
      error: invalid([
        { path: ['email'], code: 'missing', rule: 'must be a valid e-mail address of at most 254 characters' },
      ]),
    },
    several: {
      summary: 'Several problems at once',
      error: invalid([
        { path: ['chatMaxNumber'], code: 'invalid', rule: 'must be a whole number from 1 to 50' },
        { path: ['foo'], code: 'unknown', rule: 'is not a field here' },
      ]),
    },
    filter: {
      summary: 'A filter that the resource does not have',
      error: new DomainError('invalid', "Filter 'phone' is unknown. Filters here: id, name, email."),
    },
  }),
  Forbidden: response('No valid key, or a write with a key that may only read.', {
    forbidden: { summary: 'Not let in', error: new DomainError('forbidden', 'Forbidden') },
  }),
  NotFound: response('There is nothing with this identifier in the account of the key.', {
    unknown: { summary: 'Unknown identifier', error: unknownId('operator', 456) },
  }),
  MethodNotAllowed: response(
    'The address does not take this method; `Allow` lists those that it takes.',
    { method: { summary: 'Another method', error: new HttpError(405, 'The method PATCH is not allowed here.') } },
    'Allow',
  ),
  Conflict: response(
    'The change contradicts what is there, or a request with the same `Idempotency-Key` is still running.',
    {
      duplicate: {
        summary: 'A value that must be unique',
        error: new DomainError('conflict', '', {
          problems: [{ path: ['email'], code: 'invalid', rule: 'is already used' }],
        }),
      },
      in_use: {
        summary: 'Still in use',
        error: new DomainError('conflict', 'The group 3 is in use: operators (4), groups below it (1).'),
      },
      last_admin: {
        summary: 'The last admin',
        error: new DomainError('conflict', 'The last admin of an account cannot be deleted.'),
      },
      in_progress: {
        summary: 'The first request still runs',
        error: new DomainError('in_progress', 'A request with this Idempotency-Key is still running.'),
      },
    },
    'Retry-After',
  ),
  TooLarge: response('The body is larger than 1 MiB.', {
    large: { summary: 'Too large', error: httpError(413) },
  }),
  UnsupportedMediaType: response('The body is neither a form nor JSON, not UTF-8, or compressed.', {
    media: { summary: 'Another media type', error: new UnsupportedMedia() },
  }),
  OtherRequest: response('The `Idempotency-Key` was used for another request.', {
    other: {
      summary: 'The key was used before',
      error: new DomainError('other_request', 'This Idempotency-Key was used for another request.'),
    },
  }),
  InternalError: response('A fault of the service. It is in the log under the request id.', {
    internal: { summary: 'A fault', error: INTERNAL },
  }),
  Unavailable: response(
    'The service cannot answer right now. When it is not known whether a write was made, the message says so.',
    {
      unavailable: {
        summary: 'Nothing was changed',
        error: new DomainError('unavailable', 'The service cannot answer right now. Nothing was changed.'),
      },
      outcome_unknown: {
        summary: 'The outcome of a write is not known',
        error: new DomainError(
          'outcome_unknown',
          'The database was lost in the middle of the change: it is not known whether it was made.',
        ),
      },
      slow: {
        summary: 'A read that takes too long',
        error: new DomainError('unavailable', 'The read takes too long. Narrow the filters.'),
      },
    },
    'Retry-After',
  ),
} satisfies Record<string, ZodOpenApiResponseObject>;

export type ErrorName = keyof typeof errorResponses;

const STATUS: Record<ErrorName, `${number}`> = {
  BadRequest: '400',
  Forbidden: '403',
  NotFound: '404',
  MethodNotAllowed: '405',
  Conflict: '409',
  TooLarge: '413',
  UnsupportedMediaType: '415',
  OtherRequest: '422',
  InternalError: '500',
  Unavailable: '503',
};

const ALWAYS: readonly ErrorName[] = ['BadRequest', 'Forbidden', 'MethodNotAllowed', 'InternalError', 'Unavailable'];

/** The errors of an operation: those of every operation, and its own. */
export function errors(...own: ErrorName[]): Record<`${number}`, { $ref: string }> {
  return Object.fromEntries(
    [...ALWAYS, ...own].map((name) => [STATUS[name], { $ref: `#/components/responses/${name}` }]),
  );
}

function response(description: string, examples: Examples, ...headers: string[]): ZodOpenApiResponseObject {
  return {
    description,
    headers: answerHeaders(...headers),
    content: {
      'application/json': {
        schema: failureEnvelope,
        examples: Object.fromEntries(
          Object.entries(examples).map(([name, { summary, error }]) => [name, { summary, value: bodyOf(error) }]),
        ),
      },
    },
  };
}

function bodyOf(error: unknown): unknown {
  return JSON.parse(failure(error === INTERNAL ? INTERNAL : (restError(error) as RestError)));
}
