import { asDomainError, type DomainError, type ErrorKind, type Problem } from '../../core/kernel/errors.ts';
import { asHttpError, HttpError } from '../http/http-error.ts';
import { wirePath } from './names.ts';

export type MetaStatus = 'error' | 'fail';

export interface RestError {
  readonly status: number;
  readonly metaStatus: MetaStatus;
  readonly message: string;
  readonly errors?: readonly { field: string; message: string }[];
  readonly retryAfterSeconds?: number;
}

/** `fail`: the caller's data or target is wrong. `error`: not let in, throttled, or a fault of the service. */
const KINDS: Record<ErrorKind, { status: number; metaStatus: MetaStatus }> = {
  invalid: { status: 400, metaStatus: 'fail' },
  forbidden: { status: 403, metaStatus: 'error' },
  unknown: { status: 404, metaStatus: 'fail' },
  conflict: { status: 409, metaStatus: 'fail' },
  state: { status: 409, metaStatus: 'fail' },
  limit: { status: 409, metaStatus: 'fail' },
  in_progress: { status: 409, metaStatus: 'fail' },
  other_request: { status: 422, metaStatus: 'fail' },
  limited: { status: 429, metaStatus: 'error' },
  unavailable: { status: 503, metaStatus: 'error' },
  outcome_unknown: { status: 503, metaStatus: 'error' },
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
  const base = { ...KINDS[error.kind], ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
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
