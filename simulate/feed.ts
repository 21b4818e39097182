import { setTimeout as wait } from 'node:timers/promises';
import { createClient, type Client as GraphqlClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { type Client, pause } from './client.ts';
import type { Ended, Journal, ShownMessage, Told, Who } from './journal.ts';

/** Which stream of events somebody follows. */
export interface Followed {
  readonly who: Who;
  readonly path: string;
  readonly token: string;
  /** The name of the subscription. */
  readonly operation: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly conversation: number | null;
}

/** What waits for a connection that comes to nothing is of no interest. */
function dispose(client: GraphqlClient): void {
  Promise.resolve(client.dispose()).catch(() => undefined);
}

/** An event as both endpoints show it. */
interface ShownEvent {
  readonly position: string;
  readonly type: string;
  readonly at: string;
  readonly conversationId?: string | null;
  readonly reason?: string | null;
  readonly message: ShownMessage | null;
}

/**
 * A stream that goes on where it stopped, whatever happens to its connection, until it is ended. Everything that it brings
 * is written into the journal first.
 */
export class Feed {
  readonly #client: Client;
  readonly #journal: Journal;
  readonly #followed: Followed;
  readonly #onEvent: (event: Told) => void;
  #position: number;
  /** The stream that counts; what an earlier connection still brings does not. */
  #stream = 0;
  #socket: WebSocket | undefined;
  #ending: Ended['how'] | undefined;
  #running: Promise<void> | undefined;
  #dispose: (() => void) | undefined;

  constructor(
    client: Client,
    journal: Journal,
    followed: Followed,
    { position, onEvent }: { position: number; onEvent: (event: Told) => void },
  ) {
    this.#client = client;
    this.#journal = journal;
    this.#followed = followed;
    this.#position = position;
    this.#onEvent = onEvent;
  }

  /** Begins, or goes on after the last event that came. */
  open(): void {
    if (this.#running) return;
    this.#socket?.terminate(); // one that was left silently
    this.#ending = undefined;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Ends the connection in some way. A silent one stays open, and nobody listens. */
  async end(how: Ended['how']): Promise<void> {
    if (!this.#running) return;
    this.#ending = how;
    if (how === 'silent') this.#socket?.pause();
    else if (how === 'cut') this.#socket?.terminate();
    this.#dispose?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let tries = 1; this.#ending === undefined; tries += 1) {
      const before = this.#position;
      await this.#once();
      if (this.#ending !== undefined) return;
      this.#client.moveOn();
      if (this.#position > before) tries = 1;
      await Promise.race([pause(tries), this.#untilEnding()]);
    }
  }

  async #untilEnding(): Promise<void> {
    while (this.#ending === undefined) await wait(50);
  }

  /** One connection, to its end. */
  async #once(): Promise<void> {
    const { who, path, token, operation, query, variables, conversation } = this.#followed;
    const stream = this.#journal.nextStream();
    this.#stream = stream;
    this.#journal.add({ kind: 'opened', who, stream, conversation, after: this.#position });
    const client = createClient({
      url: `${this.#client.url.replace(/^http/, 'ws')}${path}`,
      webSocketImpl: this.#socketClass(),
      connectionParams: { token },
      retryAttempts: 0,
      on: { connected: () => this.#journal.add({ kind: 'connected', who, stream }) },
    });
    await new Promise<void>((resolve) => {
      this.#dispose = () => {
        if (this.#ending !== 'silent' && this.#ending !== 'cut') dispose(client);
        resolve();
      };
      client.subscribe<Record<string, ShownEvent>>(
        { query, variables: { ...variables, after: String(this.#position) } },
        {
          next: ({ data, errors }) => {
            const event = data?.[operation];
            if (stream !== this.#stream || this.#ending !== undefined) return;
            if (event) this.#take(stream, event);
            else if (errors) this.#failed(errors);
          },
          error: (error) => {
            this.#failed(error);
            resolve();
          },
          complete: () => resolve(),
        },
      );
    });
    this.#dispose = undefined;
    this.#journal.add({ kind: 'ended', who, stream, how: this.#ending ?? 'lost' });
    if (this.#ending !== 'silent') dispose(client);
  }

  #take(stream: number, { position, type, at, conversationId, reason, message }: ShownEvent): void {
    const { who, conversation } = this.#followed;
    const told = {
      ...({ kind: 'told', who, stream, position: Number(position), type, serverAt: Date.parse(at) } as const),
      conversation: conversation ?? (conversationId ? Number(conversationId) : null),
      ...{ reason: reason ?? null, message },
    };
    this.#position = Math.max(this.#position, told.position);
    this.#onEvent(this.#journal.add(told));
  }

  /** Errors of the operation itself; that a connection broke is in the journal as the end of its stream. */
  #failed(error: unknown): void {
    if (!Array.isArray(error)) return;
    const { who, operation, conversation } = this.#followed;
    const code = (error[0] as { extensions?: { code?: string } } | undefined)?.extensions?.code ?? 'UNREADABLE';
    const at = performance.timeOrigin + performance.now();
    this.#journal.add({
      ...{ kind: 'answered', who, operation, askedAt: at, outcome: 'failed', code, tries: 1, unanswered: 0 },
      conversation,
    });
  }

  /** The connection's own socket, to break it as networks do. */
  #socketClass(): unknown {
    const keep = (socket: WebSocket) => {
      this.#socket = socket;
    };
    const { headers } = this.#client;
    return class extends WebSocket {
      constructor(url: string, protocols: string | string[]) {
        super(url, protocols, { headers });
        keep(this);
      }
    };
  }
}
