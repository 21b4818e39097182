import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorKind } from '../../core/kernel/errors.ts';

/** The status of each kind of error, the same in every protocol. */
export const STATUSES: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  forbidden: 403,
  unknown: 404,
  conflict: 409,
  state: 409,
  limit: 409,
  in_progress: 409,
  other_request: 422,
  limited: 429,
  unavailable: 503,
  outcome_unknown: 503,
};

/** What every protocol tells of an error, each in its own form. */
export interface ErrorAnswer {
  readonly status: number;
  readonly retryAfterSeconds?: number | undefined;
}

export interface ErrorForm<Answer extends ErrorAnswer> {
  /** What the caller sees of an error; undefined for a fault of ours. */
  render(error: unknown): Answer | undefined;
  /** What the caller sees of a fault of ours. */
  renderFault(request: FastifyRequest): Answer;
  send(reply: FastifyReply, answer: Answer): FastifyReply;
}

export type ErrorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** The error handler of a protocol. A fault of ours is logged whole, and masked. */
export function errorHandler<Answer extends ErrorAnswer>(form: ErrorForm<Answer>): ErrorHandler {
  return (error, request, reply) => {
    const known = form.render(error);
    if (!known) request.log.error({ err: error, reqId: request.id }, 'request failed');
    const answer = known ?? form.renderFault(request);
    if (answer.retryAfterSeconds !== undefined) reply.header('retry-after', answer.retryAfterSeconds);
    return form.send(reply, answer);
  };
}
