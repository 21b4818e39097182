import { createOwnerHeaders } from './session-owner.ts';

/** Longer than any log-in takes, so that a person is told that nothing comes. */
const TIMEOUT_MS = 20_000;

export type Failure =
  /** No answer, or one that is not the service's. */
  | { readonly kind: 'unreachable' }
  /** Too many attempts. */
  | { readonly kind: 'limited'; readonly seconds: number }
  /** No session, or no longer. */
  | { readonly kind: 'loggedOut' }
  /** The service said no: `code` for programs, `description` for people, in English. */
  | { readonly kind: 'refused'; readonly code: string; readonly description: string; readonly reason?: string };

/** What the service answered. A failed request is a value, because a page always has something to say about it. */
export type Answer<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly failure: Failure };

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly body?: object;
}

/** Sends JSON with the cookie of the session. */
export async function send(path: string, { method = 'GET', body }: RequestOptions = {}): Promise<Answer<unknown>> {
  try {
    const response = await fetch(path, {
      method,
      headers: {
        ...createOwnerHeaders(),
        accept: 'application/json',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const content = response.status === 204 ? undefined : await response.json();
    return response.ok ? succeed(content) : fail(describeFailure(response, content as ErrorBody));
  } catch {
    return fail({ kind: 'unreachable' });
  }
}

export function succeed<Value>(value: Value): Answer<Value> {
  return { ok: true, value };
}

export function fail(failure: Failure): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure };
}

interface ErrorBody {
  readonly error?: string;
  readonly error_description?: string;
  /** The rule that a password breaks. */
  readonly reason?: string;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
}

/** The bodies of the session endpoints, and those of GraphQL. */
function describeFailure({ status, headers }: Response, body: ErrorBody): Failure {
  if (status === 401) return { kind: 'loggedOut' };
  if (status === 429) return { kind: 'limited', seconds: Math.max(1, Number(headers.get('retry-after')) || 60) };
  const [first] = body.errors ?? [];
  const code = body.error ?? first?.extensions?.code;
  if (status >= 500 || code === undefined) return { kind: 'unreachable' };
  const description = body.error_description ?? first?.message ?? '';
  return { kind: 'refused', code, description, ...(body.reason !== undefined && { reason: body.reason }) };
}
