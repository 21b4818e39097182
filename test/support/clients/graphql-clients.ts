import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { cacheExchange, createClient as createUrql, fetchExchange, subscriptionExchange } from '@urql/core';
import { OperationTypeNode } from 'graphql';
import { GraphQLClient } from 'graphql-request';
import { createClient as createSockets, type Sink, type Client as Sockets } from 'graphql-ws';

/** What the tests ask of a library; each does it in its own usual way. */
export interface LibraryClient {
  /** Runs a query or a mutation; fails where the answer has errors. */
  ask<Data>(kind: 'query' | 'mutation', document: string, variables?: Record<string, unknown>): Promise<Data>;
  /** Answers with a way to end the subscription. */
  listen<Data>(document: string, variables: Record<string, unknown>, next: (data: Data) => void): () => void;
  close(): void;
}

type MakeClient = (url: string, token: string) => LibraryClient;

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** graphql-ws is what all of them use for subscriptions. */
function socketsTo(url: string, token: string): Sockets {
  return createSockets({ url: `${url.replace('http', 'ws')}/graphql`, connectionParams: { token } });
}

const apollo: MakeClient = (url, token) => {
  const sockets = socketsTo(url, token);
  const client = new ApolloClient({
    cache: new InMemoryCache(),
    link: ApolloLink.split(
      ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
      new GraphQLWsLink(sockets),
      new HttpLink({ uri: `${url}/graphql`, headers: bearer(token) }),
    ),
  });
  return {
    ask: async <Data>(kind: 'query' | 'mutation', document: string, variables = {}) => {
      const { data } =
        kind === 'query'
          ? await client.query({ query: gql(document), variables, fetchPolicy: 'network-only' })
          : await client.mutate({ mutation: gql(document), variables });
      return data as Data;
    },
    listen: (document, variables, next) => {
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

const urql: MakeClient = (url, token) => {
  const sockets = socketsTo(url, token);
  const client = createUrql({
    url: `${url}/graphql`,
    fetchOptions: { headers: bearer(token) },
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
    ask: async <Data>(kind: 'query' | 'mutation', document: string, variables = {}) => {
      const { data, error } = await client[kind](document, variables).toPromise();
      if (error) throw error;
      return data as Data;
    },
    listen: (document, variables, next) =>
      client.subscription(document, variables).subscribe(({ data }) => next(data)).unsubscribe,
    close: () => sockets.dispose(),
  };
};

/** graphql-request has no subscriptions: those who use it take the client of graphql-ws beside it. */
const graphqlRequest: MakeClient = (url, token) => {
  const sockets = socketsTo(url, token);
  const client = new GraphQLClient(`${url}/graphql`, { headers: bearer(token) });
  return {
    ask: (_kind, document, variables = {}) => client.request(document, variables),
    listen: (document, variables, next) =>
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

export const LIBRARIES: Readonly<Record<string, MakeClient>> = {
  '@apollo/client': apollo,
  '@urql/core': urql,
  'graphql-request, with graphql-ws': graphqlRequest,
};
