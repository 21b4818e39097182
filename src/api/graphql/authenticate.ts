import type { Access } from '../../core/access/access.ts';
import { type Caller, withOrigin } from '../../core/kernel/caller.ts';
import type { Credential } from '../http/credential.ts';

/** Returns the operator of a token or session, or the API key itself; undefined if the credential is not valid. */
export async function authenticate(
  { apiKeys, tokenCallers }: Pick<Access, 'apiKeys' | 'tokenCallers'>,
  { kind, secret }: Credential,
  address: string,
): Promise<Caller | undefined> {
  const caller = await (kind === 'api_key' ? apiKeys.findCaller(secret) : tokenCallers.findCaller(secret, kind));
  return caller && withOrigin(caller, 'graphql', address);
}
