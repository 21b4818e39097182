import { type DomainError, type ErrorKind, type Problem, toDomainError } from '../../core/kernel/errors.ts';
import { type ErrorResponse, STATUSES } from '../http/error-handler.ts';
import { HttpError, toHttpError } from '../http/http-error.ts';
import { toWirePath } from './names.ts';

export type MetaStatus = 'error' | 'fail';

export interface RestError extends ErrorResponse {
  readonly metaStatus: MetaStatus;
  readonly message: string;
  readonly errors?: readonly { field: string; message: string }[];
}

/** `fail`: the caller's data or target is wrong. `error`: forbidden, rate limited, or the service failed. */
const META_STATUSES: Readonly<Record<ErrorKind, MetaStatus>> = {
  invalid: 'fail',
  forbidden: 'error',
  unknown: 'fail',
  conflict: 'fail',
  state: 'fail',
  limit: 'fail',
  in_progress: 'fail',
  other_request: 'fail',
  limited: 'error',
  unavailable: 'error',
  outcome_unknown: 'error',
};

export class UnsupportedMedia extends HttpError {
  constructor() {
    super(
      415,
      'The body must be application/x-www-form-urlencoded or application/json (or multipart/form-data without files), in UTF-8 and not compressed.',
    );
  }
}

/** Returns undefined for an unexpected error, which is logged and not shown to the caller. */
export function toRestError(error: unknown): RestError | undefined {
  const domainError = toDomainError(error);
  if (domainError) return fromDomainError(domainError);
  const httpError = toHttpError(error);
  return httpError && toHttpRestError(httpError);
}

export function toHttpRestError({ status, message }: HttpError): RestError {
  const metaStatus = status >= 500 ? 'error' : 'fail';
  return { status, metaStatus, message, ...(status === 503 ? { retryAfterSeconds: 1 } : {}) };
}

export const INTERNAL_ERROR: RestError = { status: 500, metaStatus: 'error', message: 'Internal error.' };

/** Whether a retry with the same idempotency key gets the same error response again. */
export function isReplayable({ status }: RestError): boolean {
  return status === 400 || status === 404 || status === 409;
}

function fromDomainError(error: DomainError): RestError {
  const { problems, retryAfterSeconds } = error.details;
  const base = { status: STATUSES[error.kind], metaStatus: META_STATUSES[error.kind], retryAfterSeconds };
  const [first] = problems ?? [];
  if (!problems || !first) return { ...base, message: error.message };
  return {
    ...base,
    message:
      error.kind === 'conflict' ? `Value of field '${toWirePath(first.path)}' is already used.` : summarize(first),
    errors: problems.map((problem) => ({ field: toFieldName(problem), message: explain(problem) })),
  };
}

function toFieldName(problem: Problem): string {
  if (problem.code !== 'unknown') return toWirePath(problem.path);
  // An unknown name is shown exactly as it was sent.
  const outer = toWirePath(problem.path.slice(0, -1));
  return outer === '' ? String(problem.path.at(-1)) : `${outer}[${problem.path.at(-1)}]`;
}

function summarize(problem: Problem): string {
  const field = toFieldName(problem);
  if (problem.code === 'missing') return `Field '${field}' is missing.`;
  if (problem.code === 'unknown') {
    const [list, filter] = problem.path;
    if (list !== 'filters') return `Field '${field}' is unknown.`;
    return `Filter '${filter}' is unknown. Allowed filters: ${problem.rule.slice(problem.rule.indexOf(':') + 2)}.`;
  }
  return `Value of field '${field}' is not valid.`;
}

function explain(problem: Problem): string {
  return `Field '${toFieldName(problem)}' ${problem.code === 'missing' ? 'is missing: it ' : ''}${problem.rule}.`;
}
