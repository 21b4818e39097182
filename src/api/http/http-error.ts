/** An error of the HTTP layer; each protocol renders it in its own format. */
export class HttpError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
  }
}

const MESSAGES = {
  400: 'The request cannot be read.',
  404: 'Not found.',
  408: 'The request took too long.',
  413: 'The body is too large: at most 1 MiB.',
  414: 'The address is too long.',
  415: 'The media type of the body is not supported.',
  431: 'The headers are too large.',
  501: 'The method is not known.',
  503: 'The service is stopping.',
};

/** Converts errors of the framework; returns undefined for all others. */
export function toHttpError(error: unknown): HttpError | undefined {
  if (error instanceof HttpError) return error;
  const { statusCode } = error as { statusCode?: unknown };
  return typeof statusCode === 'number' && statusCode in MESSAGES
    ? httpError(statusCode as keyof typeof MESSAGES)
    : undefined;
}

export function httpError(status: keyof typeof MESSAGES): HttpError {
  return new HttpError(status, MESSAGES[status]);
}
