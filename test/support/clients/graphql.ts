import { ADMIN } from '../processes/switchboard.ts';
import { sendText } from './plain-http.ts';

export interface GraphqlResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field
  readonly data: any;
  readonly errors: readonly { message: string; path?: readonly (string | number)[]; extensions: { code: string } }[];
}

/** Runs operations with the credential in `headers`. */
export interface GraphqlCaller {
  readonly headers: Readonly<Record<string, string>>;
  run(query: string, variables?: object, headers?: Record<string, string>): Promise<GraphqlResponse>;
}

export interface GraphqlClient extends GraphqlCaller {
  readonly token: string;
}

/** Returns an access token. */
export async function logIn(url: string, { email, password } = ADMIN): Promise<string> {
  const form = new URLSearchParams({ grant_type: 'password', username: email, password });
  const response = await fetch(`${url}/oauth2/token`, { method: 'POST', body: form });
  const body = (await response.json()) as { access_token?: string; error?: string };
  if (!body.access_token) throw new Error(`Login failed: ${body.error}`);
  return body.access_token;
}

/** A client of `/graphql`. */
export function graphqlClient(url: string, token: string): GraphqlClient {
  return { token, ...createCaller(url, { Authorization: `Bearer ${token}` }) };
}

/** A client of `/graphql` with an API key. */
export function keyClient(url: string, key: string): GraphqlCaller {
  return createCaller(url, { 'X-API-Key': key });
}

function createCaller(url: string, credential: Record<string, string>): GraphqlCaller {
  return {
    headers: credential,
    run: (query, variables = {}, headers = {}) =>
      postGraphql(`${url}/graphql`, { query, variables }, { ...credential, ...headers }),
  };
}

export async function postGraphql(
  endpoint: string,
  operation: { readonly query: string; readonly variables: object },
  credential: Readonly<Record<string, string>>,
): Promise<GraphqlResponse> {
  const { status, headers, text } = await sendText(endpoint, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...credential },
    body: JSON.stringify(operation),
  });
  const { data, errors = [] } = JSON.parse(text) as Partial<GraphqlResponse>;
  return { status, headers, data, errors };
}
