import { isIPv6 } from 'node:net';

/**
 * Returns the network that counts as one client: an IPv4 address, or an IPv6 /64, which is assigned to one customer.
 */
export function toNetwork(address: string): string {
  const withoutZone = address.replace(/%.*$/, '');
  if (!isIPv6(withoutZone)) return withoutZone;
  const groups = parseIpv6Groups(withoutZone);
  const isIpv4Mapped = groups.slice(0, 6).every((group, index) => group === (index === 5 ? 0xffff : 0));
  if (isIpv4Mapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** Parses the eight groups of an address in any notation; `URL` converts it to the canonical one. */
function parseIpv6Groups(address: string): number[] {
  const [left = [], right = []] = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((side) => (side === '' ? [] : side.split(':').map((group) => Number.parseInt(group, 16))));
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}
