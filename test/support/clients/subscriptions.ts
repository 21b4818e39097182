import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { PATIENCE_MS, until } from '../waiting/until.ts';

/** A client of `graphql-transport-ws`, and how its connection ended. */
export interface Socket {
  readonly client: Client;
  readonly closed: Promise<{ code: number; reason: string }>;
  /** Starts a subscription; answers when the service is surely listening. */
  watch(query: string, variables?: Record<string, unknown>): Promise<Watched>;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  run(query: string, variables?: Record<string, unknown>): Promise<any>;
  /** Answers when the service has pinged so many more times; all pings but the last one were surely answered. */
  pinged(count: number): Promise<void>;
  end(): void;
}

export interface Watched {
  /** All that came, in order, as it came. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  readonly seen: any[];
  /** Answers when the condition holds for what came. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  until(holds: (seen: readonly any[]) => boolean): Promise<void>;
  stop(): void;
  /** Why it ended, when it ended with errors. */
  readonly failed: Promise<unknown>;
}

export interface SocketPlace {
  readonly path?: string;
  /** Of the page that connects, as a browser says it. */
  readonly origin?: string;
}

export function openSocket(
  url: string,
  token: string,
  parameters: Record<string, unknown> = { token },
  { path = '/graphql', origin }: SocketPlace = {},
): Socket {
  let tell: (event: { code: number; reason: string }) => void = () => undefined;
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    tell = resolve;
  });
  let pings = 0;
  const client = createClient({
    url: `${url.replace(/^http/, 'ws')}${path}`,
    webSocketImpl: socketOf(origin, () => {
      pings += 1;
    }),
    connectionParams: parameters,
    retryAttempts: 0,
    lazy: false,
    onNonLazyError: () => undefined,
    on: { closed: (event) => tell(event as { code: number; reason: string }) },
  });
  const run: Socket['run'] = async (query, variables = {}) => {
    for await (const result of client.iterate({ query, variables })) return result;
  };
  return {
    client,
    closed,
    run,
    watch: async (query, variables = {}) => {
      const watched = watch(client, query, variables);
      // The subscription reads where it begins, and nothing tells when it has; what is asked for later takes the same way.
      for (let times = 0; times < 3; times += 1) await run('{eventPosition}');
      return watched;
    },
    pinged: (count) => {
      const enough = pings + count;
      return until(`${count} pings`, () => pings >= enough);
    },
    end: () => client.dispose(),
  };
}

function socketOf(origin: string | undefined, onPing: () => void) {
  return class extends WebSocket {
    constructor(address: string, protocol: string) {
      super(address, protocol, { headers: origin === undefined ? {} : { Origin: origin } });
      this.on('ping', onPing);
    }
  };
}

function watch(client: Client, query: string, variables: Record<string, unknown>): Watched {
  const seen: unknown[] = [];
  const waiting = new Set<() => void>();
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<unknown>((resolve) => {
    fail = resolve;
  });
  let ended = '';
  failed.then((errors) => {
    ended = ` It ended with ${JSON.stringify(errors)}.`;
  });
  const stop = client.subscribe(
    { query, variables },
    {
      next: (result) => {
        seen.push(result);
        for (const look of waiting) look();
      },
      error: fail,
      complete: () => undefined,
    },
  );
  return {
    seen,
    failed,
    stop,
    until: (holds) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          waiting.delete(look);
          reject(new Error(`It did not come; the last of ${seen.length}: ${JSON.stringify(seen.slice(-3))}${ended}`));
        }, PATIENCE_MS);
        const look = () => {
          if (!holds(seen)) return;
          clearTimeout(late);
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}
