import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorKind } from '../../core/kernel/errors.ts';

/** The HTTP status of each kind of error, the same in every protocol. */
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

/** The part of an error response that all protocols share. */
export interface ErrorResponse {
  readonly status: number;
  readonly retryAfterSeconds?: number | undefined;
}

export interface ErrorRenderer<T extends ErrorResponse> {
  /** Returns undefined for an unexpected error. */
  render(error: unknown): T | undefined;
  /** Renders an unexpected error without its details. */
  renderInternalError(request: FastifyRequest): T;
  send(reply: FastifyReply, response: T): FastifyReply;
}

export type ErrorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** Logs unexpected errors in full and hides their details from the caller. */
export function createErrorHandler<T extends ErrorResponse>(renderer: ErrorRenderer<T>): ErrorHandler {
  return (error, request, reply) => {
    const expected = renderer.render(error);
    if (!expected) request.log.error({ err: error, reqId: request.id }, 'request failed');
    const response = expected ?? renderer.renderInternalError(request);
    if (response.retryAfterSeconds !== undefined) reply.header('retry-after', response.retryAfterSeconds);
    return renderer.send(reply, response);
  };
}
