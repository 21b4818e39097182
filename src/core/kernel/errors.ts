import { DatabaseUnavailable, ReadTooSlow, UniqueViolation } from '../../storage/errors.ts';

/** Each protocol has one table that maps kinds to responses. */
export type ErrorKind =
  | 'invalid'
  | 'forbidden'
  | 'unknown'
  | 'conflict'
  | 'state'
  | 'limit'
  | 'in_progress'
  | 'other_request'
  | 'limited'
  | 'unavailable'
  | 'outcome_unknown';

/** One problem with the caller's input. The path uses the names of the code; protocols convert it. */
export interface Problem {
  readonly path: readonly (string | number)[];
  readonly code: 'missing' | 'invalid' | 'unknown';
  /** What is allowed, as the end of a sentence: "must be …". */
  readonly rule: string;
  /** For programs: names the broken rule, in snake_case. */
  readonly reason?: string;
}

export interface ErrorDetails {
  readonly problems?: readonly Problem[];
  /** For programs: tells apart errors of the same kind, in snake_case. */
  readonly reason?: string;
  /** What the message says, for programs. Times are in ISO 8601. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/** The only error that callers see. Any other error is internal: logged and masked. */
export class DomainError extends Error {
  readonly kind: ErrorKind;
  readonly details: ErrorDetails;

  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.name = 'DomainError';
    this.kind = kind;
    this.details = details;
  }
}

export function invalid(problems: readonly Problem[]): DomainError {
  return new DomainError('invalid', 'The input is not valid.', { problems });
}

export function invalidField(
  path: string | readonly (string | number)[],
  rule: string,
  details: Pick<Problem, 'reason'> = {},
): DomainError {
  return invalid([{ path: typeof path === 'string' ? [path] : path, code: 'invalid', rule, ...details }]);
}

export function unknownId(kind: string, id: number | string): DomainError {
  return new DomainError('unknown', `Unknown '${kind}' with 'id' ${id}.`);
}

/**
 * Converts a storage error to the error that callers see; undefined for an internal error, which is logged and masked.
 */
export function toDomainError(error: unknown): DomainError | undefined {
  if (error instanceof DomainError) return error;
  if (error instanceof ReadTooSlow) {
    return new DomainError('unavailable', 'The read takes too long. Narrow the filters.', { retryAfterSeconds: 1 });
  }
  if (error instanceof UniqueViolation) {
    return new DomainError('conflict', 'Conflicts with a concurrent change.', { cause: error });
  }
  if (!(error instanceof DatabaseUnavailable)) return undefined;
  const [kind, message] = error.outcomeUnknown
    ? ([
        'outcome_unknown',
        'The database connection was lost during the change: it is not known whether it was made.',
      ] as const)
    : (['unavailable', 'The service cannot answer right now. Nothing was changed.'] as const);
  return new DomainError(kind, message, { cause: error, retryAfterSeconds: 1 });
}
