import { BlockList, isIP } from 'node:net';

/** Networks of IPv4 that are no part of the public internet: private, local, shared, multicast, kept for special use. */
const NOT_PUBLIC_4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/**
 * Of IPv6 only 2000::/3 is public: loopback, unique local, link-local, multicast, and the forms that carry an IPv4 address
 * (mapped, NAT64) lie outside. Inside it: special use with Teredo, documentation, 6to4, documentation.
 */
const NOT_PUBLIC_6 = ['::/3', '4000::/2', '8000::/1', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

// One list for each family: in a common one an IPv4 address would be looked for in ::/3, as a mapped one.
const lists = { 4: listOf('ipv4', NOT_PUBLIC_4), 6: listOf('ipv6', NOT_PUBLIC_6) } as const;

function listOf(family: 'ipv4' | 'ipv6', networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** Whether an address is on the public internet. Anything that is no address is not. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !lists[4].check(address, 'ipv4');
  // With a zone (fe80::1%eth0) it is a local one.
  return family === 6 && !address.includes('%') && !lists[6].check(address, 'ipv6');
}

/** The address in a URL's host, when it is one and not a name. The URL parser has read decimal, octal and hex forms already. */
export function literalAddress({ hostname }: URL): string | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? undefined : bare;
}

/** Whether a URL says by itself that it leads to this machine or its network, before any name is looked up. */
export function namesPrivateHost(url: URL): boolean {
  const literal = literalAddress(url);
  if (literal !== undefined) return !isPublicAddress(literal);
  return /(^|\.)localhost\.?$/.test(url.hostname);
}
