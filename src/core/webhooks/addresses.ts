import { Resolver, lookup as systemLookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** Resolves a host name to its addresses. */
export type Resolve = (name: string) => Promise<readonly Address[]>;

/** The message does not name the address: internal DNS results must not leak to callers. */
export class AddressNotAllowed extends Error {
  constructor() {
    super('its address is in a private or local network');
  }
}

/**
 * Creates the lookup that the connection itself uses. The address that was checked is the address that is connected to,
 * so DNS rebinding cannot bypass the check.
 */
export function createCheckedLookup(resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction {
  return (name, options, callback) => {
    resolve(name).then(
      (addresses) => {
        const matching = addresses.filter(({ family }) => !options.family || family === options.family);
        const allowed = matching.filter(({ address }) => isAllowed(address));
        const [first] = allowed;
        if (!first) callback(matching.length > 0 ? new AddressNotAllowed() : noAddressError(name), '', 0);
        else if (options.all) callback(null, [...allowed]);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, '', 0),
    );
  };
}

export const allowAnyAddress = () => true;

/** Uses the operating system's resolver, including the hosts file. */
export const resolveWithSystem: Resolve = (name) => systemLookup(name, { all: true });

/**
 * Queries the name servers directly. The system resolver uses the libuv thread pool, which also hashes passwords: a
 * slow name server could block all of its threads.
 */
export function createDnsResolver(): Resolve {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  return async (name) => {
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = [
      ...(ipv4.status === 'fulfilled' ? ipv4.value.map((address) => ({ address, family: 4 })) : []),
      ...(ipv6.status === 'fulfilled' ? ipv6.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (addresses.length === 0 && ipv4.status === 'rejected') throw ipv4.reason;
    return addresses;
  };
}

function noAddressError(name: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${name} has no address`), { code: 'ENOTFOUND' });
}
