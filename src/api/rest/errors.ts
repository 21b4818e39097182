import { asDomainError, type DomainError, type ErrorKind, type Problem } from '../../core/kernel/errors.ts';
import { type ErrorAnswer, STATUSES } from '../http/error-handler.ts';
import { asHttpError, HttpError } from '../http/http-error.ts';
import { wirePath } from './names.ts';

export type MetaStatus = 'error' | 'fail';

export interface RestError extends ErrorAnswer {
  readonly metaStatus: MetaStatus;
  readonly message: string;
  readonly errors?: readonly { field: string; message: string }[];
}

/** `fail`: the caller's data or target is wrong. `error`: not let in, throttled, or a fault of the service. */
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
    super(415, 'The body must be application/x-www-form-urlencoded or application/json, in UTF-8 and not compressed.');
  }
}

/** What the caller sees of an error; undefined for a fault of ours, which is logged and masked. */
export function restError(error: unknown): RestError | undefined {
  const known = asDomainError(error);
  if (known) return fromDomain(known);
  const http = asHttpError(error);
  if (!http) return undefined;
  if (http.status === 503) return { status: 503, metaStatus: 'error', message: http.message, retryAfterSeconds: 1 };
  return { status: http.status, metaStatus: 'fail', message: http.message };
}

export const INTERNAL: RestError = { status: 500, metaStatus: 'error', message: 'Internal error.' };

/** Input is refused and a write that conflicts is refused; a later try with the same key gets the same answer. */
export function isKept({ status }: RestError): boolean {
  return status === 400 || status === 404 || status === 409;
}

function fromDomain(error: DomainError): RestError {
  const { problems, retryAfterSeconds } = error.details;
  const base = { status: STATUSES[error.kind], metaStatus: META_STATUSES[error.kind], retryAfterSeconds };
  const [first] = problems ?? [];
  if (!problems || !first) return { ...base, message: error.message };
  return {
    ...base,
    message: error.kind === 'conflict' ? `Value of field '${wirePath(first.path)}' is already used.` : headline(first),
    errors: problems.map((problem) => ({ field: fieldName(problem), message: explained(problem) })),
  };
}

function fieldName(problem: Problem): string {
  if (problem.code !== 'unknown') return wirePath(problem.path);
  // An unknown name is repeated as it was sent.
  const outer = wirePath(problem.path.slice(0, -1));
  return outer === '' ? String(problem.path.at(-1)) : `${outer}[${problem.path.at(-1)}]`;
}

function headline(problem: Problem): string {
  const field = fieldName(problem);
  if (problem.code === 'missing') return `Field '${field}' is missing.`;
  if (problem.code === 'unknown') {
    const [list, filter] = problem.path;
    if (list !== 'filters') return `Field '${field}' is unknown.`;
    return `Filter '${filter}' is unknown. Filters here: ${problem.rule.slice(problem.rule.indexOf(':') + 2)}.`;
  }
  return `Value of field '${field}' is not valid.`;
}

function explained(problem: Problem): string {
  return `Field '${fieldName(problem)}' ${problem.code === 'missing' ? 'is missing: it ' : ''}${problem.rule}.`;
}
