import type { FastifyReply } from 'fastify';
import { GraphQLError } from 'graphql';
import { asDomainError, type DomainError, type ErrorKind, type Problem } from '../../core/kernel/errors.ts';
import { type ErrorAnswer, errorHandler, STATUSES } from '../http/error-handler.ts';
import { asHttpError } from '../http/http-error.ts';

export type ErrorCode =
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'BAD_REQUEST'
  | 'RATE_LIMITED'
  | 'TOO_COMPLEX'
  | 'UNAVAILABLE'
  | 'INTERNAL';

export type UserErrorCode = 'MISSING' | 'INVALID' | 'UNKNOWN_ID' | 'CONFLICT' | 'LIMIT' | 'STATE';

/** What the caller can mend, beside the data of a mutation. */
export interface UserError {
  readonly field: readonly string[] | null;
  readonly message: string;
  readonly code: UserErrorCode;
}

export const CODE_TEXTS: Record<UserErrorCode, string> = {
  MISSING: 'A field that must be there is missing.',
  INVALID: 'A value is not allowed.',
  UNKNOWN_ID: 'An identifier names nothing.',
  CONFLICT: 'It conflicts with something that exists.',
  LIMIT: 'A limit is reached.',
  STATE: 'The present state does not allow it.',
};

/** How each kind of error is told. One with a user code can be corrected by the caller, and is returned beside the data of a mutation. */
const KINDS: Readonly<Record<ErrorKind, { readonly code: ErrorCode; readonly userCode?: UserErrorCode }>> = {
  invalid: { code: 'BAD_REQUEST', userCode: 'INVALID' },
  forbidden: { code: 'FORBIDDEN' },
  unknown: { code: 'BAD_REQUEST', userCode: 'UNKNOWN_ID' },
  conflict: { code: 'BAD_REQUEST', userCode: 'CONFLICT' },
  state: { code: 'BAD_REQUEST', userCode: 'STATE' },
  limit: { code: 'BAD_REQUEST', userCode: 'LIMIT' },
  in_progress: { code: 'BAD_REQUEST' },
  other_request: { code: 'BAD_REQUEST' },
  limited: { code: 'RATE_LIMITED' },
  unavailable: { code: 'UNAVAILABLE' },
  outcome_unknown: { code: 'UNAVAILABLE' },
};

export function graphqlError(code: ErrorCode, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}

/** Whether the service could not answer, through no fault of the caller. */
export function isUnavailable(error: unknown): boolean {
  const cause = error instanceof GraphQLError ? error.originalError : error;
  const known = asDomainError(cause);
  return known !== undefined && KINDS[known.kind].code === 'UNAVAILABLE';
}

export function forbiddenError(): GraphQLError {
  return graphqlError('FORBIDDEN', 'You may not read or do this.');
}

/** The errors that a caller can mend; undefined for those that are not theirs. */
export function userErrorsOf(error: unknown): UserError[] | undefined {
  const known = asDomainError(error);
  if (!known || !KINDS[known.kind].userCode) return undefined;
  const { kind, message, details } = known;
  return toUserErrors({ kind, message, problems: details.problems ?? [] });
}

/** What is wrong with an input, field by field; without problems, in one sentence. */
export function toUserErrors({ kind, message, problems }: Mistake): UserError[] {
  const { userCode: code = 'INVALID' } = KINDS[kind];
  if (problems.length === 0) return [{ field: null, message, code }];
  return problems.map((problem) => userError(problem, code));
}

interface Mistake {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly problems: readonly Problem[];
}

function userError(problem: Problem, code: UserErrorCode): UserError {
  const field = ['input', ...problem.path.map((part) => INPUT_NAMES[part] ?? String(part))];
  if (problem.code === 'missing')
    return { field, message: `${field.at(-1)} is missing: it ${problem.rule}.`, code: 'MISSING' };
  return { field, message: `${field.at(-1)} ${problem.rule}.`, code };
}

/** Inputs name relations by identifier. */
const INPUT_NAMES: Readonly<Record<string, string>> = { websiteList: 'websiteIds', skillList: 'skillIds' };

/** What a caller sees of an error that a resolver threw. Anything unknown is masked; `report` gets it whole. */
export function presentable(error: GraphQLError | Error, report: (error: unknown) => void): GraphQLError {
  // A request that is none: the protocol's own words.
  if (!(error instanceof GraphQLError)) return graphqlError('BAD_REQUEST', error.message);
  const original = error.originalError;
  if (!original || original instanceof GraphQLError) {
    // Those of a compiled query about its variables have no extensions at all.
    return error.extensions?.code === undefined ? withCode(error, 'BAD_REQUEST', error.message) : error;
  }
  const known = asDomainError(original);
  if (known) {
    const { code, message } = told(known);
    // Only here the wait is the caller's own doing, and its length worth telling.
    const wait = code === 'RATE_LIMITED' ? { retryAfterSeconds: known.details.retryAfterSeconds } : {};
    return withCode(error, code, message, wait);
  }
  report(original);
  return withCode(error, 'INTERNAL', INTERNAL.message);
}

/** What a caller sees of a fault of ours. */
const INTERNAL = graphqlError('INTERNAL', 'Internal error.');

/** Outside of mutations there are no user errors: the message says which argument is meant. */
function told({ kind, message, details: { problems = [] } }: DomainError) {
  const words = problems.map(({ path, rule }) => `${path.join('.')} ${rule}.`).join(' ') || message;
  return { code: KINDS[kind].code, message: words };
}

interface HttpAnswer extends ErrorAnswer {
  readonly error: GraphQLError;
}

/** Answers what went wrong outside of every operation, in the form of all other errors. */
export const answerError = errorHandler<HttpAnswer>({
  render: (error) => {
    if (error instanceof GraphQLError) return { status: 400, error };
    const http = asHttpError(error);
    if (http) return { status: http.status, error: graphqlError('BAD_REQUEST', http.message) };
    const known = asDomainError(error);
    if (!known) return undefined;
    const { code, message } = told(known);
    const { retryAfterSeconds } = known.details;
    return { status: STATUSES[known.kind], retryAfterSeconds, error: graphqlError(code, message) };
  },
  renderFault: () => ({ status: 500, error: INTERNAL }),
  send: (reply, { status, error }) => sendError(reply, status, error),
});

/** An answer with an error and nothing else. */
export function sendError(reply: FastifyReply, status: number, error: GraphQLError): FastifyReply {
  return reply
    .code(status)
    .headers({ ...NEVER_STORED, 'content-type': 'application/json; charset=utf-8' })
    .send(JSON.stringify({ errors: [error] }));
}

export const NEVER_STORED = { 'cache-control': 'no-store' };

function withCode(
  { nodes, source, positions, path }: GraphQLError,
  code: ErrorCode,
  message: string,
  more: object = {},
): GraphQLError {
  return new GraphQLError(message, {
    nodes: nodes ?? null,
    source: source ?? null,
    positions: positions ?? null,
    path: path ?? null,
    extensions: { code, ...more },
  });
}
