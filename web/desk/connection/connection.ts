import type { Failure } from '../../shared/api/request.ts';
import { listConversationsOf } from '../state/apply-event.ts';
import type { DeskEvent, Signal } from '../state/change.ts';
import type { Queue } from '../state/model.ts';
import type { DeskStore } from '../state/store.ts';
import { Clock } from './clock.ts';
import { Loader } from './loader.ts';
import { EVENTS, QUEUE, SIGNALS } from './queries.ts';
import { readDesk } from './read-desk.ts';
import { Rereads } from './rereads.ts';
import { openSocket, type Socket } from './socket.ts';

const MAX_DELAY_MS = 15_000;
const FIRST_DELAY_MS = 500;
/** A connection that ends sooner did not work: the next attempt waits longer. */
const STABLE_AFTER_MS = 5000;
/** The session is over, or was not accepted. */
const LOGGED_OUT_CODES = [4401, 4403];
const PERMISSIONS_CHANGED = 4411;

export interface ConnectionHandlers {
  onLoggedOut(): void;
  /** The service can be reached (again). */
  onLive(): void;
  /** Whether the operator gives this conversation away, here and now. */
  takeDeparture(conversationId: string): boolean;
}

/**
 * Keeps the state up to date until it is stopped. Every attempt subscribes after the last event that was applied. Only
 * if the service has forgotten that position is everything read again.
 */
export class Connection {
  readonly #url: string;
  readonly #store: DeskStore;
  readonly #handlers: ConnectionHandlers;
  readonly #clock: Clock;
  readonly #loader: Loader;
  readonly #rereads: Rereads;
  #socket: Socket | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #attempts = 0;
  #readyAt = 0;
  #mustRead = false;
  #wasLive = false;
  #isStopped = false;

  constructor(url: string, store: DeskStore, handlers: ConnectionHandlers) {
    this.#url = url;
    this.#store = store;
    this.#handlers = handlers;
    this.#clock = new Clock(store);
    this.#loader = new Loader(store, (failure) => this.#onFailure(failure));
    this.#rereads = new Rereads(store, (failure) => this.#onFailure(failure));
  }

  start(): void {
    void this.#attempt();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#retry);
    this.#loader.stop();
    this.#rereads.stop();
    this.#close();
  }

  /** At once, for example when the browser is online again. */
  reconnect(): void {
    if (this.#isStopped) return;
    this.#attempts = 0;
    this.#lose(0);
  }

  /** The same unless the connection works. */
  ensure(): void {
    if (this.#store.getState().connection.kind !== 'live') this.reconnect();
  }

  async #attempt(): Promise<void> {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    if (this.#mustRead && !(await this.#read('read'))) return this.#lose();
    if (this.#isStopped || this.#socket) return;
    this.#mustRead = false;
    const socket = openSocket(this.#url, {
      onReady: () => this.#onReady(socket),
      onClosed: (code) => {
        if (this.#socket === socket) this.#onClosed(code);
      },
    });
    this.#socket = socket;
  }

  async #read(type: 'read' | 'refreshed'): Promise<boolean> {
    const answer = await readDesk(Date.now());
    if (this.#isStopped) return false;
    if (answer.ok) this.#store.dispatch({ type, reading: answer.value });
    else this.#onFailure(answer.failure);
    return answer.ok;
  }

  #onReady(socket: Socket): void {
    if (this.#socket !== socket) return;
    this.#readyAt = performance.now();
    const { position } = this.#store.getState();
    socket.subscribe<{ deskEvents: DeskEvent }>(
      EVENTS,
      { after: position },
      ({ deskEvents }) => this.#onEvent(deskEvents),
      () => this.#onRefused(socket),
    );
    socket.subscribe<{ signals: Signal }>(
      SIGNALS,
      {},
      ({ signals }) => this.#store.dispatch({ type: 'signal', signal: signals, now: Date.now() }),
      () => undefined,
    );
    socket.subscribe<{ queue: Queue }>(
      QUEUE,
      {},
      ({ queue }) => this.#store.dispatch({ type: 'queue', queue }),
      () => undefined,
    );
    this.#store.dispatch({ type: 'connection', connection: { kind: 'live' } });
    if (this.#wasLive) void this.#read('refreshed').then(() => this.#loader.requestMissing());
    else this.#loader.requestMissing();
    this.#wasLive = true;
    void this.#clock.measure();
    this.#handlers.onLive();
  }

  #onEvent(event: DeskEvent): void {
    const { conversationId: id, visitorId } = event;
    const wasKnown = id === null || this.#store.getState().conversations.has(id);
    const isExpected = LOSS_TYPES.test(event.type) && id !== null && this.#handlers.takeDeparture(id);
    this.#store.dispatch({ type: 'event', event, isExpected });
    this.#clock.noteEvent(event.at);
    this.#rereads.note(event);
    const state = this.#store.getState();
    if (id !== null && !wasKnown && state.conversations.has(id)) this.#loader.request([id]);
    if (visitorId !== null) this.#loader.request(listConversationsOf(state, visitorId));
    this.#loader.check();
  }

  /** The position is too old. */
  #onRefused(socket: Socket): void {
    if (this.#socket !== socket) return;
    this.#mustRead = true;
    this.#lose();
  }

  #onClosed(code: number): void {
    this.#socket = undefined;
    if (code === PERMISSIONS_CHANGED) this.#mustRead = true;
    if (LOGGED_OUT_CODES.includes(code)) this.#logOut();
    else this.#lose();
  }

  #onFailure(failure: Failure): void {
    if (failure.kind === 'loggedOut') this.#logOut();
  }

  #logOut(): void {
    if (this.#isStopped) return;
    this.stop();
    this.#handlers.onLoggedOut();
  }

  #lose(delay?: number): void {
    if (this.#isStopped) return;
    this.#close();
    if (performance.now() - this.#readyAt > STABLE_AFTER_MS && this.#readyAt > 0) this.#attempts = 0;
    this.#readyAt = 0;
    if (this.#store.getState().connection.kind === 'live')
      this.#store.dispatch({ type: 'connection', connection: { kind: 'lost', since: Date.now() } });
    clearTimeout(this.#retry);
    const growing = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** this.#attempts++) * (0.5 + Math.random() / 2);
    this.#retry = setTimeout(() => void this.#attempt(), delay ?? growing);
  }

  #close(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }
}

const LOSS_TYPES = /^conversation\.(queued|transferred)$/;
