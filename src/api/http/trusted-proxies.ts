import { BlockList, isIP } from 'node:net';

/** Returns a function that tells whether an address is that of a trusted proxy. */
export function createTrustCheck(trustedProxies: readonly string[]): (address: string | undefined) => boolean {
  const trustedNetworks = new BlockList();
  for (const proxy of trustedProxies) {
    const [address = '', bits] = proxy.split('/');
    const family = getFamily(address);
    if (bits === undefined) trustedNetworks.addAddress(address, family);
    else trustedNetworks.addSubnet(address, Number(bits), family);
  }
  return (address = '') => isIP(address) !== 0 && trustedNetworks.check(address, getFamily(address));
}

function getFamily(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
