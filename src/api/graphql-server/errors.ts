import { GraphQLError } from 'graphql';
import { asDomainError, type DomainError, type ErrorKind, type Problem } from '../../core/kernel/errors.ts';

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

/** Kinds that are the caller's to mend; all others become top-level errors. */
export const USER_CODES: Partial<Record<ErrorKind, UserErrorCode>> = {
  invalid: 'INVALID',
  unknown: 'UNKNOWN_ID',
  conflict: 'CONFLICT',
  state: 'STATE',
  limit: 'LIMIT',
};

const CODES: Record<ErrorKind, ErrorCode> = {
  invalid: 'BAD_REQUEST',
  forbidden: 'FORBIDDEN',
  unknown: 'BAD_REQUEST',
  conflict: 'BAD_REQUEST',
  state: 'BAD_REQUEST',
  limit: 'BAD_REQUEST',
  in_progress: 'BAD_REQUEST',
  other_request: 'BAD_REQUEST',
  limited: 'RATE_LIMITED',
  unavailable: 'UNAVAILABLE',
  outcome_unknown: 'UNAVAILABLE',
};

export function graphqlError(code: ErrorCode, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}

/** Whether the service could not answer, through no fault of the caller. */
export function isUnavailable(error: unknown): boolean {
  const cause = error instanceof GraphQLError ? error.originalError : error;
  const kind = asDomainError(cause)?.kind;
  return kind === 'unavailable' || kind === 'outcome_unknown';
}

export function forbiddenError(): GraphQLError {
  return graphqlError('FORBIDDEN', 'You may not read or do this.');
}

/** The errors that a caller can mend; undefined for those that are not theirs. */
export function userErrorsOf(error: unknown): UserError[] | undefined {
  const known = asDomainError(error);
  const code = known && USER_CODES[known.kind];
  if (!known || !code) return undefined;
  return userErrorsOfProblems(known.details.problems ?? [], known.message, code);
}

/** What is wrong with an input, field by field; without problems, in one sentence. */
export function userErrorsOfProblems(
  problems: readonly Problem[],
  message: string,
  code: UserErrorCode = 'INVALID',
): UserError[] {
  if (problems.length === 0) return [{ field: null, message, code }];
  return problems.map((problem) => userError(problem, code));
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
  const known: DomainError | undefined = asDomainError(original);
  if (known) {
    const { kind, details } = known;
    // Only here the wait is the caller's own doing, and its length worth telling.
    const wait = kind === 'limited' ? { retryAfterSeconds: details.retryAfterSeconds } : {};
    return withCode(error, CODES[kind], inWords(known), wait);
  }
  report(original);
  return withCode(error, 'INTERNAL', 'Internal error.');
}

/** Outside of mutations there are no user errors: the message says which argument is meant. */
export function inWords({ message, details: { problems = [] } }: DomainError): string {
  return problems.map(({ path, rule }) => `${path.join('.')} ${rule}.`).join(' ') || message;
}

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
