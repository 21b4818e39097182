import type { FastifyRequest } from 'fastify';
import type { ExecutionResult, GraphQLError } from 'graphql';
import type { RequestParams, Response } from 'graphql-http';
import { normalizeOperationName } from './request-params.ts';

const JSON_TYPE = 'application/json';
const RESPONSE_TYPE = 'application/graphql-response+json';

/** The two types of a response, in the order of preference of most clients. */
type MediaType = typeof RESPONSE_TYPE | typeof JSON_TYPE;

export interface UsualRequest {
  readonly params: RequestParams;
  readonly mediaType: MediaType;
}

/**
 * Reads a well-formed POST of JSON, as nearly every client sends it. Undefined for any other request: graphql-http reads
 * or rejects those. It answers the same, but waits several times in between and renders JSON slowly.
 */
export function readUsualRequest({ method, headers, body }: FastifyRequest): UsualRequest | undefined {
  const mediaType = chooseMediaType(headers.accept);
  if (method !== 'POST' || mediaType === undefined || !isJson(headers['content-type'])) return undefined;
  const params = parseParams(body as Buffer | undefined);
  return params && { params, mediaType };
}

function chooseMediaType(accept = '*/*'): MediaType | undefined {
  if (accept === '*/*' || accept === JSON_TYPE) return JSON_TYPE;
  return accept === RESPONSE_TYPE || accept.startsWith(`${RESPONSE_TYPE},`) ? RESPONSE_TYPE : undefined;
}

function isJson(contentType: string | undefined): boolean {
  return contentType === JSON_TYPE || contentType === `${JSON_TYPE}; charset=utf-8`;
}

function parseParams(body: Buffer | undefined): RequestParams | undefined {
  const sent = parseJson(body);
  if (!isObject(sent)) return undefined;
  const { query, operationName, variables, extensions } = sent;
  if (typeof query !== 'string' || query === '') return undefined; // the client may have sent the hash of a document
  if (!isMissing(operationName) && typeof operationName !== 'string') return undefined;
  if (!isMissing(variables) && !isObject(variables)) return undefined;
  if (!isMissing(extensions) && !isObject(extensions)) return undefined;
  return { query, operationName: normalizeOperationName(operationName), variables, extensions };
}

function parseJson(body: Buffer | undefined): unknown {
  try {
    return body && JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isMissing(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

export type FormatError = (error: GraphQLError | Error) => GraphQLError;

/** Renders the result of an operation, or the errors for which it was not executed. */
export function renderResult(
  result: ExecutionResult | readonly GraphQLError[],
  mediaType: MediaType,
  formatError: FormatError,
): Response {
  if (isErrorList(result)) return [JSON.stringify({ errors: result.map(formatError) }), REJECTED[mediaType]];
  const { errors } = result;
  return [JSON.stringify(errors ? { ...result, errors: errors.map(formatError) } : result), EXECUTED[mediaType]];
}

function isErrorList(result: ExecutionResult | readonly GraphQLError[]): result is readonly GraphQLError[] {
  return Array.isArray(result);
}

const toHeaders = (mediaType: MediaType) => ({ 'content-type': `${mediaType}; charset=utf-8` });
const OK = { status: 200, statusText: 'OK' };
const BAD_REQUEST = { status: 400, statusText: 'Bad Request' };
const EXECUTED = {
  [JSON_TYPE]: { ...OK, headers: toHeaders(JSON_TYPE) },
  [RESPONSE_TYPE]: { ...OK, headers: toHeaders(RESPONSE_TYPE) },
};
/** Clients that ask for plain JSON may read the errors only of successful responses. */
const REJECTED = {
  [JSON_TYPE]: EXECUTED[JSON_TYPE],
  [RESPONSE_TYPE]: { ...BAD_REQUEST, headers: toHeaders(RESPONSE_TYPE) },
};
