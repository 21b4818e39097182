import type { FastifyRequest } from 'fastify';
import type { KeyedRequest } from '../../core/access/idempotency.ts';
import type { Caller } from '../../core/kernel/caller.ts';
import { DomainError } from '../../core/kernel/errors.ts';

/** Returns undefined when the request has no Idempotency-Key. */
export function readIdempotencyKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new DomainError('invalid', 'The Idempotency-Key must be 1 to 255 visible ASCII characters.');
}

/** `request`: the parts that a retry with the same key must repeat exactly. */
export function toKeyedRequest(
  { accountId, actor }: Caller,
  key: string,
  requestParts: readonly string[],
): KeyedRequest {
  return { accountId, credential: `${actor.type} ${actor.id}`, key, request: requestParts };
}
