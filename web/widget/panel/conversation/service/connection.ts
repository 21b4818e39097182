import type { Conversation, Message } from '../../state/state.ts';
import type { Signal } from '../apply.ts';
import { Failure } from './failure.ts';
import { EVENTS, SIGNALS } from './operations.ts';
import type { Session } from './session.ts';
import { openSocket, type Socket } from './socket.ts';

export interface ConnectionHandlers {
  /** Reads what is new in the conversation. Returns the position before it; undefined if the conversation is over. */
  read(): Promise<string | undefined>;
  onEvent(event: ConversationEvent): void;
  onSignal(signal: Signal): void;
  /** Also called when a request gets through although there is no socket. */
  onConnected(): void;
  /** After two seconds without a connection. */
  onLost(): void;
}

export interface ConversationEvent {
  readonly position: string;
  readonly type: string;
  readonly message: Message | null;
  readonly conversation: Conversation;
}

const MAX_DELAY_MS = 8000;
const SHOW_LOST_AFTER_MS = 2000;
/** The visitor has too many sockets: read from time to time instead, as without any socket. */
const TOO_MANY_SOCKETS = 4429;
const POLL_MS = 5000;
/** The token is not accepted. */
const REFUSED_TOKENS = [4401, 4403];

/**
 * Keeps a conversation up to date until it is stopped. Each attempt first reads what is new, with its position, and then
 * subscribes after that position: nothing is lost and nothing arrives twice. Without a socket it reads again and again.
 */
export class Connection {
  readonly #url: string;
  readonly #session: Session;
  readonly #handlers: ConnectionHandlers;
  #socket: Socket | undefined;
  #conversationId: string | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #lost: ReturnType<typeof setTimeout> | undefined;
  #attempts = 0;

  constructor(service: string, session: Session, handlers: ConnectionHandlers) {
    this.#url = `${service.replace(/^http/, 'ws')}visitor/graphql`;
    this.#session = session;
    this.#handlers = handlers;
  }

  start(conversationId: string): void {
    if (this.#conversationId === conversationId) return;
    this.stop();
    this.#conversationId = conversationId;
    this.#connect();
  }

  stop(): void {
    this.#conversationId = undefined;
    clearTimeout(this.#retry);
    this.#noteConnected();
    this.#close();
  }

  /** At once, for example when the browser is online again. */
  reconnect(): void {
    if (!this.#conversationId) return;
    this.#close();
    this.#attempts = 0;
    this.#schedule(0);
  }

  #close(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }

  async #connect(): Promise<void> {
    const id = this.#conversationId;
    try {
      const after = await this.#handlers.read();
      if (!after || id !== this.#conversationId) return;
      this.#noteConnected();
      const token = await this.#session.getToken();
      if (id === this.#conversationId) this.#open(token, { id, after });
    } catch (error) {
      if (id !== this.#conversationId) return;
      this.#noteLost();
      this.#schedule(error instanceof Failure && error.retryAfterSeconds > 0 && error.retryAfterSeconds * 1000);
    }
  }

  #open(token: string, { id, after }: { readonly id: string | undefined; readonly after: string }): void {
    let wasReady = false;
    const socket = openSocket(this.#url, token, {
      onReady: () => {
        wasReady = true;
        this.#attempts = 0;
        const startAgain = (hasFailed: boolean) => hasFailed && this.#socket === socket && this.reconnect();
        socket.subscribe<{ conversationEvents: ConversationEvent }>(
          EVENTS,
          { id, after },
          ({ conversationEvents }) => this.#handlers.onEvent(conversationEvents),
          startAgain, // the position is too old: read again
        );
        socket.subscribe<{ signals: Signal }>(
          SIGNALS,
          { id },
          ({ signals }) => this.#handlers.onSignal(signals),
          () => undefined,
        );
      },
      onClose: (code) => {
        if (this.#socket !== socket) return;
        this.#socket = undefined;
        const isRefused = REFUSED_TOKENS.includes(code);
        if (isRefused) this.#session.drop(token);
        else if (wasReady) this.#noteLost();
        this.#schedule((code === TOO_MANY_SOCKETS || !(wasReady || isRefused)) && POLL_MS);
      },
    });
    this.#socket = socket;
  }

  #schedule(delay: number | false): void {
    clearTimeout(this.#retry);
    const backoff = Math.min(MAX_DELAY_MS, 500 * 2 ** this.#attempts++) * (0.5 + Math.random());
    this.#retry = setTimeout(() => this.#connect(), delay === false ? backoff : delay);
  }

  #noteConnected(): void {
    clearTimeout(this.#lost);
    this.#lost = undefined;
    this.#handlers.onConnected();
  }

  #noteLost(): void {
    this.#lost ??= setTimeout(() => this.#handlers.onLost(), SHOW_LOST_AFTER_MS);
  }
}
