import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/**
 * Follows the rule of fastify's `request.ip`, for upgrade requests that fastify does not handle: the peer's address or,
 * while that is a trusted proxy, the address it forwards for.
 */
export function createPeerAddressReader(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const trusted = new BlockList();
  for (const proxy of trustedProxies) {
    const [address = '', bits] = proxy.split('/');
    const family = familyOf(address);
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  const isTrusted = (address: string) => isIP(address) !== 0 && trusted.check(address, familyOf(address));
  return ({ socket, headers }) => {
    const header = [headers['x-forwarded-for'] ?? []].flat().join(',');
    const forwarded = header.split(',').map((text) => text.trim());
    let address = socket.remoteAddress ?? '';
    for (const next of forwarded.reverse()) {
      if (next === '' || !isTrusted(address)) break;
      address = next;
    }
    return address;
  };
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
