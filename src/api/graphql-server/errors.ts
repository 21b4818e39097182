import type { FastifyReply } from 'fastify';
import { GraphQLError } from 'graphql';
import {
  type DomainError,
  type ErrorDetails,
  type ErrorKind,
  type Problem,
  toDomainError,
} from '../../core/kernel/errors.ts';
import { CREDENTIAL_NAMES, type Credential } from '../http/credential.ts';
import { createErrorHandler, type ErrorResponse, STATUSES } from '../http/error-handler.ts';
import { toHttpError } from '../http/http-error.ts';

export type ErrorCode =
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'BAD_REQUEST'
  | 'RATE_LIMITED'
  | 'TOO_COMPLEX'
  | 'PERSISTED_QUERY_NOT_SUPPORTED'
  | 'UNAVAILABLE'
  | 'INTERNAL';

export type UserErrorCode = 'MISSING' | 'INVALID' | 'UNKNOWN_ID' | 'CONFLICT' | 'LIMIT' | 'STATE';

/** An error that the caller can fix, returned in the payload of a mutation. */
export interface UserError {
  readonly field: readonly string[] | null;
  readonly message: string;
  readonly code: UserErrorCode;
  readonly reason?: string | undefined;
  readonly parameters?: Readonly<Record<string, string>> | undefined;
}

export const USER_ERROR_CODE_DESCRIPTIONS: Record<UserErrorCode, string> = {
  MISSING: 'A required field is missing.',
  INVALID: 'A value is not valid.',
  UNKNOWN_ID: 'No object has this identifier.',
  CONFLICT: 'Conflicts with an existing object or a concurrent change.',
  LIMIT: 'A limit has been reached.',
  STATE: 'Not possible in the current state of the object.',
};

/** Error codes by kind. In mutations, kinds with a user code are returned as user errors. */
const CODES_BY_KIND: Readonly<Record<ErrorKind, { readonly code: ErrorCode; readonly userCode?: UserErrorCode }>> = {
  invalid: { code: 'BAD_REQUEST', userCode: 'INVALID' },
  forbidden: { code: 'FORBIDDEN' },
  unknown: { code: 'BAD_REQUEST', userCode: 'UNKNOWN_ID' },
  conflict: { code: 'BAD_REQUEST', userCode: 'CONFLICT' },
  state: { code: 'BAD_REQUEST', userCode: 'STATE' },
  limit: { code: 'BAD_REQUEST', userCode: 'LIMIT' },
  in_progress: { code: 'UNAVAILABLE' }, // a retry gets the result
  other_request: { code: 'BAD_REQUEST' },
  limited: { code: 'RATE_LIMITED' },
  unavailable: { code: 'UNAVAILABLE' },
  outcome_unknown: { code: 'UNAVAILABLE' },
};

export function graphqlError(code: ErrorCode, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}

export function unauthenticatedError(credential: Credential | undefined, acceptsApiKeys: boolean): GraphQLError {
  if (credential) {
    return graphqlError('UNAUTHENTICATED', `${CREDENTIAL_NAMES[credential.kind]} not valid`);
  }
  const apiKey = acceptsApiKeys ? 'an API key in X-API-Key, or ' : '';
  // Also for a cookie that cannot be read. Where keys are accepted, sessions of browsers are.
  const session = acceptsApiKeys ? ' A page of this service needs a session: log in at /login.' : '';
  return graphqlError('UNAUTHENTICATED', `Send ${apiKey}an access token as Authorization: Bearer.${session}`);
}

export function isUnavailable(error: unknown): boolean {
  const cause = error instanceof GraphQLError ? error.originalError : error;
  const domainError = toDomainError(cause);
  return domainError !== undefined && CODES_BY_KIND[domainError.kind].code === 'UNAVAILABLE';
}

export function forbiddenError(): GraphQLError {
  return FORBIDDEN_ERROR;
}

/** Created once: a page of operators can contain thousands of them, and each stack trace takes time. */
const FORBIDDEN_ERROR = graphqlError('FORBIDDEN', 'You are not allowed to read or change this.');

/** Undefined if the caller cannot fix the error. */
export function findUserErrors(error: unknown): UserError[] | undefined {
  const domainError = toDomainError(error);
  if (!domainError || !CODES_BY_KIND[domainError.kind].userCode) return undefined;
  const { kind, message, details } = domainError;
  return toUserErrors({ ...details, kind, message, problems: details.problems ?? [] });
}

/** Returns one error per problem, or a single error without a field if there are no problems. */
export function toUserErrors({ kind, message, problems, reason, parameters }: Failure): UserError[] {
  const { userCode: code = 'INVALID' } = CODES_BY_KIND[kind];
  if (problems.length === 0) return [{ field: null, message, code, reason, parameters }];
  return problems.map((problem) => ({ ...toUserError(problem, code), reason: problem.reason ?? reason, parameters }));
}

interface Failure extends Pick<ErrorDetails, 'reason' | 'parameters'> {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly problems: readonly Problem[];
}

function toUserError(problem: Problem, code: UserErrorCode): UserError {
  const field = ['input', ...problem.path.map((part) => INPUT_NAMES[part] ?? String(part))];
  if (problem.code === 'missing')
    return { field, message: `${field.at(-1)} is missing: it ${problem.rule}.`, code: 'MISSING' };
  return { field, message: `${field.at(-1)} ${problem.rule}.`, code };
}

/** Names of relations in inputs. */
const INPUT_NAMES: Readonly<Record<string, string>> = { websiteList: 'websiteIds', skillList: 'skillIds' };

/** Turns an error of a resolver into the one that clients see. Unexpected errors are masked, and passed to `report`. */
export function toClientError(error: GraphQLError | Error, report: (error: unknown) => void): GraphQLError {
  // graphql-http rejected a malformed request.
  if (!(error instanceof GraphQLError)) return graphqlError('BAD_REQUEST', error.message);
  const original = error.originalError;
  if (!original || original instanceof GraphQLError) {
    // Errors of compiled queries about variables have no extensions.
    return error.extensions?.code === undefined ? withCode(error, 'BAD_REQUEST', error.message) : error;
  }
  const domainError = toDomainError(original);
  if (domainError) {
    const { code, message } = describeError(domainError);
    // Only rate limit errors include the time to wait.
    const extensions = code === 'RATE_LIMITED' ? { retryAfterSeconds: domainError.details.retryAfterSeconds } : {};
    return withCode(error, code, message, extensions);
  }
  report(original);
  return withCode(error, 'INTERNAL', INTERNAL_ERROR.message);
}

const INTERNAL_ERROR = graphqlError('INTERNAL', 'Internal error.');

/** Outside mutations there are no user errors, so the message names the argument. */
function describeError({ kind, message, details: { problems = [] } }: DomainError) {
  const text = problems.map(({ path, rule }) => `${path.join('.')} ${rule}.`).join(' ') || message;
  return { code: CODES_BY_KIND[kind].code, message: text };
}

interface GraphqlErrorResponse extends ErrorResponse {
  readonly error: GraphQLError;
}

/** Renders errors that occur outside an operation in the same format as all others. */
export const handleError = createErrorHandler<GraphqlErrorResponse>({
  render: (error) => {
    if (error instanceof GraphQLError) return { status: 400, error };
    const httpError = toHttpError(error);
    if (httpError) return { status: httpError.status, error: graphqlError('BAD_REQUEST', httpError.message) };
    const domainError = toDomainError(error);
    if (!domainError) return undefined;
    const { code, message } = describeError(domainError);
    const { retryAfterSeconds } = domainError.details;
    return { status: STATUSES[domainError.kind], retryAfterSeconds, error: graphqlError(code, message) };
  },
  renderInternalError: () => ({ status: 500, error: INTERNAL_ERROR }),
  send: (reply, { status, error }) => sendError(reply, status, error),
});

export function sendError(reply: FastifyReply, status: number, error: GraphQLError): FastifyReply {
  return reply
    .code(status)
    .headers({ ...NO_STORE, 'content-type': 'application/json; charset=utf-8' })
    .send(JSON.stringify({ errors: [error] }));
}

/** The body of a response that says so. */
export function renderUnavailable(message: string): string {
  return JSON.stringify({ errors: [graphqlError('UNAVAILABLE', message)] });
}

export const NO_STORE = { 'cache-control': 'no-store' };

function withCode(
  { nodes, source, positions, path }: GraphQLError,
  code: ErrorCode,
  message: string,
  extensions: object = {},
): GraphQLError {
  return new GraphQLError(message, {
    nodes: nodes ?? null,
    source: source ?? null,
    positions: positions ?? null,
    path: path ?? null,
    extensions: { code, ...extensions },
  });
}
