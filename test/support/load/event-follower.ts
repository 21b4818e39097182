import { setTimeout } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';

/** An event as a subscriber receives it. */
export interface ReceivedEvent {
  readonly position: number;
  readonly type: string;
  readonly at: number;
}

export interface EventFollower {
  readonly name: string;
  /** All events in the order of arrival. */
  readonly events: ReceivedEvent[];
  /** How each of its connections ended. */
  readonly ends: string[];
  stop(): Promise<void>;
}

export interface FollowerOptions {
  readonly name: string;
  /** Its nodes; after each disconnect it continues on the next one. */
  readonly urls: readonly string[];
  readonly path: '/graphql' | '/visitor/graphql';
  readonly token: string;
  /** Takes `$after` and selects one field with `position` and `type`. */
  readonly query: string;
  readonly after: number;
}

/** A subscription that resumes after the last received event when its connection is lost. */
export function followEvents({ name, urls, path, token, query, after }: FollowerOptions): EventFollower {
  const events: ReceivedEvent[] = [];
  const ends: string[] = [];
  let position = after;
  let isStopped = false;
  let dispose: () => void = () => undefined;

  const connectOnce = (url: string) =>
    new Promise<void>((resolve) => {
      const client = createClient({
        url: `${url.replace(/^http/, 'ws')}${path}`,
        webSocketImpl: WebSocket,
        connectionParams: { token },
        retryAttempts: 0,
      });
      let hasEnded = false;
      const end = (how: string) => {
        if (hasEnded) return;
        hasEnded = true;
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
            events.push({ position, type: event.type, at: performance.now() });
          },
          error: (error) => end(describeEnd(error)),
          complete: () => end('complete'),
        },
      );
    });
  const running = (async () => {
    for (let turn = 0; !isStopped; turn += 1) {
      await connectOnce(urls[turn % urls.length] ?? '');
      if (!isStopped) await setTimeout(100);
    }
  })();
  return {
    name,
    events,
    ends,
    stop: async () => {
      isStopped = true;
      dispose();
      await running;
    },
  };
}

function describeEnd(error: unknown): string {
  if (Array.isArray(error)) return `errors ${JSON.stringify(error)}`;
  const { code, reason, message } = error as { code?: number; reason?: string; message?: string };
  return code === undefined ? `failed ${message}` : `closed ${code} ${reason}`;
}
