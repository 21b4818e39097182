import { setTimeout } from 'node:timers/promises';
import { type GraphqlClient, graphqlClient } from '../clients/graphql.ts';
import { type RestClient, restClient } from '../clients/rest.ts';
import { WAIT_TIMEOUT_MS } from './wait.ts';

const RETRY_INTERVAL_MS = 100;

/**
 * Retries after 503, as Retry-After asks every client to: on a busy machine PostgreSQL may be slow without any fault of
 * the node. Only for requests that are safe to repeat.
 */
export async function retryWhileUnavailable<T extends { readonly status: number }>(send: () => Promise<T>): Promise<T> {
  for (const end = performance.now() + WAIT_TIMEOUT_MS; ; ) {
    const response = await send();
    if (response.status !== 503 || performance.now() > end) return response;
    await setTimeout(RETRY_INTERVAL_MS);
  }
}

export function retryingRestClient(url: string, key: string): Pick<RestClient, 'get' | 'put'> {
  const { get, put } = restClient(url, key);
  return {
    get: (...args) => retryWhileUnavailable(() => get(...args)),
    put: (...args) => retryWhileUnavailable(() => put(...args)),
  };
}

export function retryingGraphqlClient(url: string, token: string): GraphqlClient {
  const { run, ...client } = graphqlClient(url, token);
  return { ...client, run: (...args) => retryWhileUnavailable(() => run(...args)) };
}
