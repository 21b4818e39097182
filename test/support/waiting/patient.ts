import { setTimeout } from 'node:timers/promises';
import { type GraphqlClient, graphqlClient } from '../clients/graphql.ts';
import { type RestClient, restClient } from '../clients/rest.ts';
import { PATIENCE_MS } from './until.ts';

const PAUSE_MS = 100;

/**
 * Sends again what is answered by 503, as its Retry-After asks every client to: a PostgreSQL without processor is no fault of the
 * node. Only for what may be sent twice.
 */
export async function repeatWhileUnavailable<T extends { readonly status: number }>(
  send: () => Promise<T>,
): Promise<T> {
  for (const end = performance.now() + PATIENCE_MS; ; ) {
    const answer = await send();
    if (answer.status !== 503 || performance.now() > end) return answer;
    await setTimeout(PAUSE_MS);
  }
}

export function patientRestClient(url: string, key: string): Pick<RestClient, 'get' | 'put'> {
  const { get, put } = restClient(url, key);
  return {
    get: (...given) => repeatWhileUnavailable(() => get(...given)),
    put: (...given) => repeatWhileUnavailable(() => put(...given)),
  };
}

export function patientGraphqlClient(url: string, token: string): GraphqlClient {
  const { run } = graphqlClient(url, token);
  return { token, run: (...given) => repeatWhileUnavailable(() => run(...given)) };
}
