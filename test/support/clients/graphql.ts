import { ADMIN } from '../processes/switchboard.ts';

export interface GraphqlAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  readonly data: any;
  readonly errors: readonly { message: string; path?: readonly (string | number)[]; extensions: { code: string } }[];
}

export interface GraphqlClient {
  readonly token: string;
  run(query: string, variables?: object, headers?: Record<string, string>): Promise<GraphqlAnswer>;
}

/** A token for an e-mail and a password. */
export async function logIn(url: string, { email, password } = ADMIN): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'password', username: email, password });
  const response = await fetch(`${url}/oauth2/token`, { method: 'POST', body });
  const answer = (await response.json()) as { access_token?: string; error?: string };
  if (!answer.access_token) throw new Error(`The login failed: ${answer.error}`);
  return answer.access_token;
}

/** Talks to `/graphql` with a token. */
export function graphqlClient(url: string, token: string): GraphqlClient {
  return {
    token,
    run: async (query, variables = {}, headers = {}) => {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}`, ...headers },
        body: JSON.stringify({ query, variables }),
      });
      const { data, errors = [] } = (await response.json()) as { data?: unknown; errors?: GraphqlAnswer['errors'] };
      return { status: response.status, headers: response.headers, data, errors };
    },
  };
}
