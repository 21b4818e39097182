import type { FastifyRequest } from 'fastify';
import type { ApiKeys } from '../../core/access/api-keys.ts';
import { type Caller, withOrigin } from '../../core/kernel/caller.ts';
import { DomainError } from '../../core/kernel/errors.ts';
import { readQuery } from './query.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the authentication; every REST handler runs after it. */
    caller: Caller;
  }
}

/** The short way for a key that was checked a moment ago. */
export function isRemembered(keys: ApiKeys, request: FastifyRequest): boolean {
  const header = request.headers['x-api-key'];
  const caller = typeof header === 'string' ? keys.remembered(header) : undefined;
  if (!caller) return false;
  request.caller = fromHere(caller, request);
  return true;
}

/** Finds the caller by the first key that the request carries: header, query, user name of Basic. */
export async function authenticate(keys: ApiKeys, request: FastifyRequest): Promise<void> {
  const key = keyOf(request);
  const caller = key === undefined ? undefined : await keys.check(key);
  if (!caller) throw new DomainError('forbidden', 'Forbidden');
  request.caller = fromHere(caller, request);
}

/** A read leaves no trace, and is spared the look at where it came from. */
function fromHere(caller: Caller, request: FastifyRequest): Caller {
  if (request.method === 'GET' || request.method === 'HEAD') return caller;
  return withOrigin(caller, 'rest', request.ip);
}

function keyOf(request: FastifyRequest): string | undefined {
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
