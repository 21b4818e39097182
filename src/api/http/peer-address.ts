import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/**
 * Reads from where a request came, by the rule of fastify's `request.ip`, for those that fastify never sees: the peer, or, as
 * long as that is a proxy that is believed, whoever it says it passes on.
 */
export function addressReader(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
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
    const passed = header.split(',').map((text) => text.trim());
    let address = socket.remoteAddress ?? '';
    for (const next of passed.reverse()) {
      if (next === '' || !isTrusted(address)) break;
      address = next;
    }
    return address;
  };
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
