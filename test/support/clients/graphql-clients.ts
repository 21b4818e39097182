import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { cacheExchange, createClient as createUrql, fetchExchange, subscriptionExchange } from '@urql/core';
import { OperationTypeNode } from 'graphql';
import { GraphQLClient } from 'graphql-request';
import { type ClientOptions, createClient as createSockets, type Sink, type Client as Sockets } from 'graphql-ws';

/** The operations under test; each library implements them in its usual way. */
export interface LibraryClient {
  /** Runs a query or a mutation; rejects if the response has errors. */
  execute<Data>(kind: 'query' | 'mutation', document: string, variables?: Record<string, unknown>): Promise<Data>;
  /** Returns a function that ends the subscription. */
  subscribe<Data>(document: string, variables: Record<string, unknown>, next: (data: Data) => void): () => void;
  close(): void;
}

export interface ClientCredentials {
  /** Headers of requests over HTTP. */
  readonly headers: Record<string, string>;
  /** How the client authenticates over WebSocket; by default with the headers as connection parameters. */
  readonly socket?: Pick<ClientOptions, 'connectionParams' | 'webSocketImpl'>;
}

type ClientFactory = (url: string, credentials: ClientCredentials) => LibraryClient;

/** All libraries use graphql-ws for subscriptions. */
function createSocketClient(url: string, { headers, socket }: ClientCredentials): Sockets {
  return createSockets({
    url: `${url.replace('http', 'ws')}/graphql`,
    retryAttempts: 0,
    ...(socket ?? { connectionParams: headers }),
  });
}

const apollo: ClientFactory = (url, credentials) => {
  const { headers } = credentials;
  const sockets = createSocketClient(url, credentials);
  const client = new ApolloClient({
    cache: new InMemoryCache(),
    link: ApolloLink.split(
      ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
      new GraphQLWsLink(sockets),
      new HttpLink({ uri: `${url}/graphql`, headers }),
    ),
  });
  return {
    execute: async <Data>(kind: 'query' | 'mutation', document: string, variables = {}) => {
      const { data } =
        kind === 'query'
          ? await client.query({ query: gql(document), variables, fetchPolicy: 'network-only' })
          : await client.mutate({ mutation: gql(document), variables });
      return data as Data;
    },
    subscribe: (document, variables, next) => {
      const results = client.subscribe({ query: gql(document), variables });
      const subscription = results.subscribe(({ data }) => next(data as Parameters<typeof next>[0]));
      return () => subscription.unsubscribe();
    },
    close: () => {
      client.stop();
      sockets.dispose();
    },
  };
};

const urql: ClientFactory = (url, credentials) => {
  const { headers } = credentials;
  const sockets = createSocketClient(url, credentials);
  const client = createUrql({
    url: `${url}/graphql`,
    fetchOptions: { headers },
    requestPolicy: 'network-only',
    exchanges: [
      cacheExchange,
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query = '', variables }) => ({
          subscribe: (sink) => ({
            unsubscribe: sockets.subscribe({ query, variables: variables as Record<string, unknown> }, sink as Sink),
          }),
        }),
      }),
    ],
  });
  return {
    execute: async <Data>(kind: 'query' | 'mutation', document: string, variables = {}) => {
      const { data, error } = await client[kind](document, variables).toPromise();
      if (error) throw error;
      return data as Data;
    },
    subscribe: (document, variables, next) =>
      client.subscription(document, variables).subscribe(({ data }) => next(data)).unsubscribe,
    close: () => sockets.dispose(),
  };
};

/** graphql-request has no subscriptions; its users add the graphql-ws client. */
const graphqlRequest: ClientFactory = (url, credentials) => {
  const { headers } = credentials;
  const sockets = createSocketClient(url, credentials);
  const client = new GraphQLClient(`${url}/graphql`, { headers });
  return {
    execute: (_kind, document, variables = {}) => client.request(document, variables),
    subscribe: (document, variables, next) =>
      sockets.subscribe(
        { query: document, variables },
        {
          next: ({ data }) => next(data as Parameters<typeof next>[0]),
          error: (error) => {
            throw error;
          },
          complete: () => undefined,
        },
      ),
    close: () => sockets.dispose(),
  };
};

export const CLIENT_LIBRARIES: Readonly<Record<string, ClientFactory>> = {
  '@apollo/client': apollo,
  '@urql/core': urql,
  'graphql-request, with graphql-ws': graphqlRequest,
};
