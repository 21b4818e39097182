import { Resolver, lookup as systemLookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isPublicAddress } from './private-networks.ts';

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** Finds the addresses of a name. */
export type Resolve = (name: string) => Promise<readonly Address[]>;

/** Nothing about the address is told: what a name means inside a network is not for everybody. */
export class AddressRefused extends Error {
  constructor() {
    super('its address is in a private or local network');
  }
}

/**
 * The look-up of a connection: what it answers is what is connected to, so that a name cannot mean one address when it is
 * checked and another one afterwards.
 */
export function checkedLookup(resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction {
  return (name, options, callback) => {
    resolve(name).then(
      (found) => {
        const wanted = found.filter(({ family }) => !options.family || family === options.family);
        const allowed = wanted.filter(({ address }) => isAllowed(address));
        const [first] = allowed;
        if (!first) callback(wanted.length > 0 ? new AddressRefused() : noAddress(name), '', 0);
        else if (options.all) callback(null, [...allowed]);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, '', 0),
    );
  };
}

export const anyAddress = () => true;
export const publicAddress = isPublicAddress;

/** As all programs of this machine do it, its file of hosts included. */
export const resolveLikeSystem: Resolve = (name) => systemLookup(name, { all: true });

/**
 * Asks the name servers only, on a socket. The system's way takes one of the few threads that also hash passwords, and somebody
 * else's slow name server could hold them all.
 */
export function resolveByNameServers(): Resolve {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  return async (name) => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (addresses.length === 0 && four.status === 'rejected') throw four.reason;
    return addresses;
  };
}

function noAddress(name: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${name} has no address`), { code: 'ENOTFOUND' });
}
