import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/**
 * Returns a function that reads the client's address like fastify's `request.ip`, for upgrade requests, which fastify
 * does not handle: the address of the peer or, if that is a trusted proxy, the address that it forwards for.
 */
export function createClientAddressReader(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const trustedNetworks = new BlockList();
  for (const proxy of trustedProxies) {
    const [address = '', bits] = proxy.split('/');
    const family = getFamily(address);
    if (bits === undefined) trustedNetworks.addAddress(address, family);
    else trustedNetworks.addSubnet(address, Number(bits), family);
  }
  const isTrusted = (address: string) => isIP(address) !== 0 && trustedNetworks.check(address, getFamily(address));
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

function getFamily(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
