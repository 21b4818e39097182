import { setTimeout } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';

/** An event as a subscriber sees it. */
export interface SeenEvent {
  readonly position: number;
  readonly type: string;
  readonly at: number;
}

export interface Following {
  readonly name: string;
  /** All that came, in the order in which it came. */
  readonly seen: SeenEvent[];
  /** How each of its connections ended. */
  readonly ends: string[];
  stop(): Promise<void>;
}

export interface Followed {
  readonly name: string;
  /** Its nodes, the one to begin with first; after every end it goes on with the next. */
  readonly urls: readonly string[];
  readonly path: '/graphql' | '/visitor/graphql';
  readonly token: string;
  /** With `$after`, and one field that shows `position` and `type`. */
  readonly query: string;
  readonly after: number;
}

/** A stream that goes on after the last event that it saw, whatever happens to its connection. */
export function follow({ name, urls, path, token, query, after }: Followed): Following {
  const seen: SeenEvent[] = [];
  const ends: string[] = [];
  let position = after;
  let stopped = false;
  let dispose: () => void = () => undefined;

  const once = (url: string) =>
    new Promise<void>((resolve) => {
      const client = createClient({
        url: `${url.replace(/^http/, 'ws')}${path}`,
        webSocketImpl: WebSocket,
        connectionParams: { token },
        retryAttempts: 0,
      });
      let ended = false;
      const end = (how: string) => {
        if (ended) return;
        ended = true;
        ends.push(how);
        Promise.resolve(client.dispose()).catch(() => undefined);
        resolve();
      };
      dispose = () => end('stopped');
      client.subscribe<Record<string, { position: string; type: string }>>(
        { query, variables: { after: String(position) } },
        {
          next: ({ data, errors }) => {
            const [event] = Object.values(data ?? {});
            if (errors || !event) {
              end(`error ${JSON.stringify(errors)}`);
              return;
            }
            position = Number(event.position);
            seen.push({ position, type: event.type, at: performance.now() });
          },
          error: (error) => end(endOf(error)),
          complete: () => end('complete'),
        },
      );
    });
  const running = (async () => {
    for (let turn = 0; !stopped; turn += 1) {
      await once(urls[turn % urls.length] ?? '');
      if (!stopped) await setTimeout(100);
    }
  })();
  return {
    name,
    seen,
    ends,
    stop: async () => {
      stopped = true;
      dispose();
      await running;
    },
  };
}

function endOf(error: unknown): string {
  if (Array.isArray(error)) return `errors ${JSON.stringify(error)}`;
  const { code, reason, message } = error as { code?: number; reason?: string; message?: string };
  return code === undefined ? `failed ${message}` : `closed ${code} ${reason}`;
}
