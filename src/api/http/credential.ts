import type { IncomingHttpHeaders } from 'node:http';
import { readBearerToken } from './bearer-token.ts';
import { HttpError } from './http-error.ts';

/** What a client authenticates with. */
export interface Credential {
  readonly kind: 'token' | 'api_key' | 'session';
  readonly secret: string;
  /** Whose session a page expects: the account and the operator, such as `1.17`. The cookie may be another one's by now. */
  readonly owner?: string;
}

/** Reads the credential from the headers only: `Authorization: Bearer`, or `X-API-Key` where keys are accepted. */
export function readCredential(
  request: { readonly headers: IncomingHttpHeaders },
  acceptsApiKeys: boolean,
): Credential | undefined {
  const { authorization = '', 'x-api-key': apiKey } = request.headers;
  if (!acceptsApiKeys || typeof apiKey !== 'string') return toCredential(readBearerToken(request), undefined);
  return toCredential(/^Bearer\b/i.test(authorization) ? authorization : undefined, apiKey);
}

/** Whether the headers have a token or a key, even one that cannot be read. */
export function hasExplicitCredential({ headers }: { readonly headers: IncomingHttpHeaders }): boolean {
  return headers['x-api-key'] !== undefined || /^Bearer\b/i.test(headers.authorization ?? '');
}

/** What errors call the credential. */
export const CREDENTIAL_NAMES: Readonly<Record<Credential['kind'], string>> = {
  token: 'access token',
  api_key: 'API key',
  session: 'session',
};

/** Throws if there are both: it would be unclear who calls. */
export function toCredential(token: string | undefined, apiKey: string | undefined): Credential | undefined {
  if (token !== undefined && apiKey !== undefined)
    throw new HttpError(400, 'Send either an access token or an API key, not both.');
  if (apiKey !== undefined) return { kind: 'api_key', secret: apiKey };
  return token === undefined ? undefined : { kind: 'token', secret: token };
}
