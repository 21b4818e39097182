import type { FastifyRequest } from 'fastify';
import type { ApiKeys } from '../../core/access/api-keys.ts';
import { type Caller, withOrigin } from '../../core/kernel/caller.ts';
import { DomainError } from '../../core/kernel/errors.ts';
import { readQuery } from './query.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set during authentication, before any REST handler runs. */
    caller: Caller;
  }
}

/** Synchronous fast path for a key that was checked recently. */
export function authenticateFromCache(keys: ApiKeys, request: FastifyRequest): boolean {
  const header = request.headers['x-api-key'];
  const caller = typeof header === 'string' ? keys.peekCaller(header) : undefined;
  if (!caller) return false;
  request.caller = withRequestOrigin(caller, request);
  return true;
}

/** Uses the first key found: header, query, Basic user name. */
export async function authenticate(keys: ApiKeys, request: FastifyRequest): Promise<void> {
  const key = readApiKey(request);
  const caller = key === undefined ? undefined : await keys.findCaller(key);
  if (!caller) throw new DomainError('forbidden', 'Forbidden');
  request.caller = withRequestOrigin(caller, request);
}

/** Reads are not audited, so their origin is not looked up. */
function withRequestOrigin(caller: Caller, request: FastifyRequest): Caller {
  if (request.method === 'GET' || request.method === 'HEAD') return caller;
  return withOrigin(caller, 'rest', request.ip);
}

function readApiKey(request: FastifyRequest): string | undefined {
  const header = request.headers['x-api-key'];
  if (typeof header === 'string') return header;
  if (request.raw.url?.includes('key')) {
    const { key } = readQuery(request);
    if (key !== undefined) return typeof key === 'string' ? key : undefined;
  }
  const [scheme, credentials] = request.headers.authorization?.split(' ') ?? [];
  if (scheme?.toLowerCase() !== 'basic' || !credentials) return undefined;
  const pair = Buffer.from(credentials, 'base64').toString();
  const colon = pair.indexOf(':');
  return colon < 0 ? pair : pair.slice(0, colon);
}
