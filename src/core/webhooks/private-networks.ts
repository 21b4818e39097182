import { BlockList, isIP } from 'node:net';

/** Private, local, shared, multicast and reserved networks. */
const NON_PUBLIC_IPV4 = [
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
 * Only 2000::/3 is public: loopback, unique local, link-local, multicast, and addresses that embed an IPv4 address
 * (mapped, NAT64) lie outside it. Excluded inside it: special use including Teredo, documentation, 6to4, documentation.
 */
const NON_PUBLIC_IPV6 = ['::/3', '4000::/2', '8000::/1', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

// One list per family: a shared list would match every IPv4 address, as a mapped one, against ::/3.
const blockLists = { 4: buildBlockList('ipv4', NON_PUBLIC_IPV4), 6: buildBlockList('ipv6', NON_PUBLIC_IPV6) } as const;

function buildBlockList(family: 'ipv4' | 'ipv6', networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** Whether this is an address on the public internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !blockLists[4].check(address, 'ipv4');
  // An address with a zone (fe80::1%eth0) is local.
  return family === 6 && !address.includes('%') && !blockLists[6].check(address, 'ipv6');
}

/**
 * Returns the URL's host if it is an IP address. The URL parser has already normalised decimal, octal and hex forms.
 */
export function parseLiteralAddress({ hostname }: URL): string | undefined {
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(host) === 0 ? undefined : host;
}

/** Whether the URL is recognisably private without a DNS lookup. */
export function hasPrivateHost(url: URL): boolean {
  const literal = parseLiteralAddress(url);
  if (literal !== undefined) return !isPublicAddress(literal);
  return /(^|\.)localhost\.?$/.test(url.hostname);
}
