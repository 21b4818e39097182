import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { WAIT_TIMEOUT_MS, waitUntil } from '../waiting/wait.ts';

/** A `graphql-transport-ws` connection. */
export interface Socket {
  readonly client: Client;
  readonly closed: Promise<{ code: number; reason: string }>;
  /** Starts a subscription; resolves once it is certainly active. */
  subscribe(query: string, variables?: Record<string, unknown>): Promise<Subscription>;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field
  run(query: string, variables?: Record<string, unknown>): Promise<any>;
  /** Resolves after `count` more pings; all of them except the last have certainly been answered. */
  waitForPings(count: number): Promise<void>;
  end(): void;
}

export interface Subscription {
  /** All results in order, unchanged. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field
  readonly results: any[];
  /** Resolves once the condition is met. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field
  waitUntil(isMet: (results: readonly any[]) => boolean): Promise<void>;
  stop(): void;
  /** Resolves once the service has ended it without errors. */
  readonly completed: Promise<void>;
  /** Resolves with the errors if it ended with errors. */
  readonly failed: Promise<unknown>;
}

export interface SocketOptions {
  readonly path?: string;
  /** The `Origin` header, as a browser sends it. */
  readonly origin?: string;
  /** Further headers of the handshake. */
  readonly headers?: Readonly<Record<string, string>>;
}

export function openSocket(
  url: string,
  token: string,
  parameters: Record<string, unknown> = { token },
  { path = '/graphql', origin, headers = {} }: SocketOptions = {},
): Socket {
  let resolveClosed: (event: { code: number; reason: string }) => void = () => undefined;
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    resolveClosed = resolve;
  });
  let pings = 0;
  const client = createClient({
    url: `${url.replace(/^http/, 'ws')}${path}`,
    webSocketImpl: createSocketClass(origin === undefined ? headers : { ...headers, Origin: origin }, () => {
      pings += 1;
    }),
    connectionParams: parameters,
    retryAttempts: 0,
    lazy: false,
    onNonLazyError: () => undefined,
    on: { closed: (event) => resolveClosed(event as { code: number; reason: string }) },
  });
  const run: Socket['run'] = async (query, variables = {}) => {
    for await (const result of client.iterate({ query, variables })) return result;
  };
  return {
    client,
    closed,
    run,
    subscribe: async (query, variables = {}) => {
      const subscription = startSubscription(client, query, variables);
      // Nothing signals that the subscription has read its start position; later queries queue behind it.
      for (let times = 0; times < 3; times += 1) await run('{eventPosition}');
      return subscription;
    },
    waitForPings: (count) => {
      const enough = pings + count;
      return waitUntil(`${count} pings`, () => pings >= enough);
    },
    end: () => client.dispose(),
  };
}

function createSocketClass(headers: Readonly<Record<string, string>>, onPing: () => void) {
  return class extends WebSocket {
    constructor(address: string, protocol: string) {
      super(address, protocol, { headers });
      this.on('ping', onPing);
    }
  };
}

function startSubscription(client: Client, query: string, variables: Record<string, unknown>): Subscription {
  const results: unknown[] = [];
  const pendingChecks = new Set<() => void>();
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<unknown>((resolve) => {
    fail = resolve;
  });
  const { promise: completed, resolve: complete } = Promise.withResolvers<void>();
  let ended = '';
  failed.then((errors) => {
    ended = ` It ended with ${JSON.stringify(errors)}.`;
  });
  const stop = client.subscribe(
    { query, variables },
    {
      next: (result) => {
        results.push(result);
        for (const check of pendingChecks) check();
      },
      error: fail,
      complete,
    },
  );
  return {
    results,
    completed,
    failed,
    stop,
    waitUntil: (isMet) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          pendingChecks.delete(check);
          reject(
            new Error(
              `The condition was never met; the last of ${results.length}: ${JSON.stringify(results.slice(-3))}${ended}`,
            ),
          );
        }, WAIT_TIMEOUT_MS);
        const check = () => {
          if (!isMet(results)) return;
          clearTimeout(timer);
          pendingChecks.delete(check);
          resolve();
        };
        pendingChecks.add(check);
        check();
      }),
  };
}
