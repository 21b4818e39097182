import type { Access } from '../../core/access/access.ts';
import { type Caller, withOrigin } from '../../core/kernel/caller.ts';
import { type Loadable, mapLoaded } from '../graphql-server/id-loader.ts';
import type { Credential } from '../http/credential.ts';

/**
 * Returns the operator of a token or session, or the API key itself; undefined if the credential is not valid, or the
 * session is not that of the operator whom the page shows.
 */
export function authenticate(
  { apiKeys, tokenCallers }: Pick<Access, 'apiKeys' | 'tokenCallers'>,
  { kind, secret, owner }: Credential,
  address: string,
): Loadable<Caller | undefined> {
  const isKey = kind === 'api_key';
  const caller =
    (isKey ? apiKeys.peekCaller(secret) : tokenCallers.peekCaller(secret, kind)) ??
    (isKey ? apiKeys.findCaller(secret) : tokenCallers.findCaller(secret, kind));
  return mapLoaded(caller, (found) => {
    if (!found || (owner !== undefined && owner !== `${found.accountId}.${found.operatorId}`)) return undefined;
    return withOrigin(found, 'graphql', address);
  });
}
