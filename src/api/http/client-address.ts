import type { IncomingMessage } from 'node:http';
import { createTrustCheck } from './trusted-proxies.ts';

/**
 * Returns a function that reads the client's address like fastify's `request.ip`, for upgrade requests, which fastify
 * does not handle: the address of the peer or, if that is a trusted proxy, the address that it forwards for.
 */
export function createClientAddressReader(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const isTrusted = createTrustCheck(trustedProxies);
  return ({ socket, headers }) => {
    const header = [headers['x-forwarded-for'] ?? []].flat().join(',');
    const forwardedAddresses = header.split(',').map((text) => text.trim());
    let address = socket.remoteAddress ?? '';
    for (const next of forwardedAddresses.reverse()) {
      if (next === '' || !isTrusted(address)) break;
      address = next;
    }
    return address;
  };
}
