import type { Answer } from './request.ts';

/** Why the service did not do something. */
export class Failure extends Error {
  /** `network`: no answer, try again; `limit`: try again later; `refused`: do not try again. */
  readonly kind: 'network' | 'limit' | 'refused';
  /** The `reason` or the `code` of a user error. */
  readonly reason: string;
  readonly retryAfterSeconds: number;

  constructor(kind: Failure['kind'], reason = '', retryAfterSeconds = 0) {
    super(reason || kind);
    this.kind = kind;
    this.reason = reason;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The failure of an answer over HTTP; undefined if it has none. */
export function toFailure({ status, body, retryAfterSeconds }: Answer): Failure | undefined {
  if (status === 0 || status >= 500) return new Failure('network');
  const extensions = body?.errors?.[0]?.extensions;
  if (status === 429 || extensions?.code === 'RATE_LIMITED') {
    return new Failure('limit', 'RATE_LIMITED', retryAfterSeconds || extensions?.retryAfterSeconds || 5);
  }
  if (status < 400 && !extensions) return undefined;
  return /INTERNAL|UNAVAILABLE|OVERLOAD|TIMEOUT/.test(extensions?.code)
    ? new Failure('network')
    : new Failure('refused', extensions?.code ?? String(status));
}
