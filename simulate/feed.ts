import { setTimeout as wait } from 'node:timers/promises';
import { createClient, type Client as GraphqlClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { backOff, type HttpClient } from './http-client.ts';
import type { EventReceived, Journal, MessageView, Participant, StreamEnded } from './journal.ts';

/** The stream of events to follow. */
export interface FeedSubscription {
  readonly participant: Participant;
  readonly path: string;
  readonly token: string;
  /** The name of the subscription field. */
  readonly operation: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly conversation: number | null;
}

/** Ignores errors of a connection that failed to open. */
function disposeQuietly(client: GraphqlClient): void {
  Promise.resolve(client.dispose()).catch(() => undefined);
}

/** Visitors' positions are encrypted. */
function toNumber(position: string): number {
  return /^\d+$/.test(position) ? Number(position) : 0;
}

/** An event as both endpoints return it. */
interface EventView {
  readonly position: string;
  readonly type: string;
  readonly at: string;
  readonly conversationId?: string | null;
  readonly reason?: string | null;
  readonly message: MessageView | null;
}

/**
 * An event stream that resumes at its last position after any connection loss, until it is ended. Every event is
 * written to the journal before it is handled.
 */
export class Feed {
  readonly #client: HttpClient;
  readonly #journal: Journal;
  readonly #subscription: FeedSubscription;
  readonly #onEvent: (event: EventReceived) => void;
  /** As the service returned it. */
  #position: string;
  /** The current stream; late events of earlier connections are ignored. */
  #stream = 0;
  #socket: WebSocket | undefined;
  #ending: StreamEnded['how'] | undefined;
  #running: Promise<void> | undefined;
  #dispose: (() => void) | undefined;

  constructor(
    client: HttpClient,
    journal: Journal,
    subscription: FeedSubscription,
    { position, onEvent }: { position: string; onEvent: (event: EventReceived) => void },
  ) {
    this.#client = client;
    this.#journal = journal;
    this.#subscription = subscription;
    this.#position = position;
    this.#onEvent = onEvent;
  }

  /** Starts, or resumes after the last received event. */
  open(): void {
    if (this.#running) return;
    this.#socket?.terminate(); // left open by a silent end
    this.#ending = undefined;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Ends the connection. A silent end keeps it open without reading it. */
  async end(how: StreamEnded['how']): Promise<void> {
    if (!this.#running) return;
    this.#ending = how;
    if (how === 'silent') this.#socket?.pause();
    else if (how === 'cut') this.#socket?.terminate();
    this.#dispose?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let attempts = 1; this.#ending === undefined; attempts += 1) {
      const before = this.#position;
      await this.#subscribeOnce();
      if (this.#ending !== undefined) return;
      this.#client.switchNode();
      if (this.#position !== before) attempts = 1;
      await Promise.race([backOff(attempts), this.#waitForEnding()]);
    }
  }

  async #waitForEnding(): Promise<void> {
    while (this.#ending === undefined) await wait(50);
  }

  /** Opens one connection and waits for its end. */
  async #subscribeOnce(): Promise<void> {
    const { participant, path, token, operation, query, variables, conversation } = this.#subscription;
    const stream = this.#journal.nextStream();
    this.#stream = stream;
    this.#journal.add({ kind: 'stream_opened', participant, stream, conversation, after: toNumber(this.#position) });
    const client = createClient({
      url: `${this.#client.url.replace(/^http/, 'ws')}${path}`,
      webSocketImpl: this.#socketClass(),
      connectionParams: { token },
      retryAttempts: 0,
      on: { connected: () => this.#journal.add({ kind: 'stream_connected', participant, stream }) },
    });
    await new Promise<void>((resolve) => {
      this.#dispose = () => {
        if (this.#ending !== 'silent' && this.#ending !== 'cut') disposeQuietly(client);
        resolve();
      };
      client.subscribe<Record<string, EventView>>(
        { query, variables: { ...variables, after: this.#position } },
        {
          next: ({ data, errors }) => {
            const event = data?.[operation];
            if (stream !== this.#stream || this.#ending !== undefined) return;
            if (event) this.#receive(stream, event);
            else if (errors) this.#recordError(errors);
          },
          error: (error) => {
            this.#recordError(error);
            resolve();
          },
          complete: () => resolve(),
        },
      );
    });
    this.#dispose = undefined;
    this.#journal.add({ kind: 'stream_ended', participant, stream, how: this.#ending ?? 'lost' });
    if (this.#ending !== 'silent') disposeQuietly(client);
  }

  #receive(stream: number, { position, type, at, conversationId, reason, message }: EventView): void {
    const { participant, conversation } = this.#subscription;
    const received = {
      kind: 'event_received' as const,
      participant,
      stream,
      position: toNumber(position),
      type,
      serverAt: Date.parse(at),
      conversation: conversation ?? (conversationId ? Number(conversationId) : null),
      reason: reason ?? null,
      message,
    };
    this.#position = position;
    this.#onEvent(this.#journal.add(received));
  }

  /** Records errors of the operation. Lost connections are in the journal as the end of their stream. */
  #recordError(error: unknown): void {
    if (!Array.isArray(error)) return;
    const { participant, operation, conversation } = this.#subscription;
    const code = (error[0] as { extensions?: { code?: string } } | undefined)?.extensions?.code ?? 'UNREADABLE';
    const at = performance.timeOrigin + performance.now();
    this.#journal.add({
      kind: 'request_completed',
      participant,
      operation,
      requestedAt: at,
      outcome: 'failed',
      code,
      attempts: 1,
      attemptsWithoutResponse: 0,
      conversation,
    });
  }

  /** Gives access to the socket, to break the connection like a network failure. */
  #socketClass(): unknown {
    const setSocket = (socket: WebSocket) => {
      this.#socket = socket;
    };
    const { headers } = this.#client;
    return class extends WebSocket {
      constructor(url: string, protocols: string | string[]) {
        super(url, protocols, { headers });
        setSocket(this);
      }
    };
  }
}
