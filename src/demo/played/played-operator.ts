import { setTimeout as sleep } from 'node:timers/promises';
import type { Pace } from './behaviour.ts';
import * as documents from './documents.ts';
import { type MessageView, PlayedConversation, type Viewer } from './played-conversation.ts';
import { RefusedRequest, type ServiceClient } from './service-client.ts';

const RETRY_MS = 2000;
/** A busy service refuses requests for a moment. */
const SILENT_FAILURES = 3;
/** The error of OAuth for a wrong password, and an operator who was deleted. */
export const LOGIN_REFUSED = 'invalid_grant';
/** How long the service may take to connect an operator whose desk is open. Too short does no harm. */
const CONNECT_CHECKS = 10;
const CONNECT_CHECK_MS = 100;
/** Until the desk holds the lease. */
const CONNECT_SECONDS = 30;

export interface PlayedPerson {
  /** Returns a token. Fails with a refusal if this person can no longer log in. */
  logIn(): Promise<string>;
  /** Whether this person makes themselves available when they come. The others keep what they were. */
  readonly becomesAvailable: boolean;
}

export interface PlayedWork {
  readonly client: ServiceClient;
  readonly pace: Pace;
  /** The website whose running conversations are continued after a restart. */
  readonly websiteId: number;
  /** Whether a real person was free for the conversation when it was offered to this one. */
  isRealPersonFree(conversationId: string): Promise<boolean>;
}

interface DeskEvent {
  readonly position: string;
  readonly type: string;
  readonly reason: string | null;
  readonly conversationId: string | null;
  readonly conversation: { readonly state: string; readonly operator: { readonly id: string } | null } | null;
  readonly message: MessageView | null;
}

interface Arrival {
  readonly eventPosition: string;
  readonly viewer: Viewer;
  readonly conversations: {
    readonly nodes: readonly { readonly id: string; readonly operator: { id: string } | null }[];
  };
}

/** A played person at a desk that uses only the public interfaces: answers offers, and the visitors of accepted ones. */
export class PlayedOperator {
  readonly #person: PlayedPerson;
  readonly #work: PlayedWork;
  readonly #stop = new AbortController();
  readonly #conversations = new Map<string, PlayedConversation>();
  #token: string | undefined;
  #position: string | undefined;
  #hasArrived = false;

  constructor(person: PlayedPerson, work: PlayedWork) {
    this.#person = person;
    this.#work = work;
  }

  /** Resolves when the person is connected, or with an error that does not pass. They work, and try again, until `stop`. */
  start(): Promise<unknown> {
    return new Promise((resolve) => {
      void this.#workUntilStopped(resolve).then(resolve);
    });
  }

  stop(): void {
    this.#stop.abort();
    for (const conversation of this.#conversations.values()) conversation.end();
  }

  /** The token of the current session; undefined before the log-in. */
  get token(): string | undefined {
    return this.#token;
  }

  /** Returns an error if this person can no longer log in. */
  async #workUntilStopped(onReady: (error?: unknown) => void): Promise<unknown> {
    let failures = 0;
    while (!this.#stop.signal.aborted) {
      try {
        this.#token ??= await this.#person.logIn();
        await this.#sitAtDesk(onReady);
      } catch (error) {
        const code = error instanceof RefusedRequest ? error.code : undefined;
        if (code === LOGIN_REFUSED) return error;
        failures += 1;
        if (failures > SILENT_FAILURES) onReady(error);
        if (code === 'UNAUTHENTICATED') this.#token = undefined;
        if (code === 'BAD_REQUEST') this.#position = undefined; // too old
      }
      await sleep(RETRY_MS, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    }
    return undefined;
  }

  /** Opens the desk, and returns when the connection ends. */
  async #sitAtDesk(onReady: (error?: unknown) => void): Promise<void> {
    const { websiteId } = this.#work;
    const { eventPosition, viewer, conversations } = await this.#run<Arrival>(documents.ARRIVE, {
      websiteId: String(websiteId),
    });
    this.#position ??= eventPosition;
    for (const { id, operator } of conversations.nodes) if (operator?.id === viewer.id) this.#talk(id, viewer);
    const connection = new AbortController();
    const arriving = this.#arriveDuring(connection.signal, onReady);
    await this.#followEvents(viewer).finally(() => connection.abort());
    await arriving;
  }

  /** Tries until the person has arrived or the connection ends: the next connection tries again. */
  async #arriveDuring(connection: AbortSignal, onReady: (error?: unknown) => void): Promise<void> {
    const signal = AbortSignal.any([connection, this.#stop.signal]);
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        await this.#arriveOnce();
        onReady();
        return;
      } catch (error) {
        if (failures > SILENT_FAILURES) onReady(error);
        await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Follows the events until the connection ends. Fails if the service refuses the subscription. */
  async #followEvents(viewer: Viewer): Promise<void> {
    const socket = this.#work.client.openSocket(this.#token as string);
    const dispose = () => void Promise.resolve(socket.dispose()).catch(() => undefined);
    this.#stop.signal.addEventListener('abort', dispose);
    try {
      const variables = { after: this.#position };
      for await (const { data, errors } of socket.iterate<{ deskEvents: DeskEvent }>({
        ...{ query: documents.DESK_EVENTS, variables },
      })) {
        if (errors) throw toRefusal(errors);
        if (!data) continue;
        this.#position = data.deskEvents.position;
        this.#onEvent(data.deskEvents, viewer);
      }
    } catch (error) {
      if (Array.isArray(error)) throw toRefusal(error);
    } finally {
      this.#stop.signal.removeEventListener('abort', dispose);
      dispose();
    }
  }

  /** Someone may have taken this person offline before: then an open desk is not enough. */
  async #arriveOnce(): Promise<void> {
    if (this.#hasArrived) return;
    if (this.#person.becomesAvailable) await this.#becomeAvailable();
    for (let checks = 0; checks < CONNECT_CHECKS; checks += 1) {
      const { viewer } = await this.#run<{ viewer: { live: { connected: boolean } } }>(documents.IS_CONNECTED, {});
      this.#hasArrived = viewer.live.connected;
      if (this.#hasArrived) return;
      await sleep(CONNECT_CHECK_MS, undefined, { signal: this.#stop.signal });
    }
    await this.#run(documents.CONNECT, { input: { ttlSeconds: CONNECT_SECONDS } });
    this.#hasArrived = true;
  }

  #onEvent({ type, reason, conversationId, conversation, message }: DeskEvent, viewer: Viewer): void {
    if (type === 'operator.availability_updated' && reason === 'missed_offers')
      this.#becomeAvailable().catch(() => undefined);
    if (conversationId === null) return;
    const isOwn = conversation?.operator?.id === viewer.id;
    if (type === 'conversation.offered' && isOwn) this.#answerOffer(conversationId).catch(() => undefined);
    if (isOwn && conversation.state === 'ACTIVE' && (type === 'conversation.started' || message?.author === 'VISITOR'))
      this.#talk(conversationId, viewer);
    if (message) this.#conversations.get(conversationId)?.hear(message);
    if (!isOwn || conversation.state !== 'ACTIVE') this.#stopTalking(conversationId);
  }

  /** Leaves the visitor to a real person if one is free, even if this person served the visitor before. */
  async #answerOffer(conversationId: string): Promise<void> {
    const { isRealPersonFree, pace } = this.#work;
    if (await isRealPersonFree(conversationId)) {
      await this.#run(documents.OFFER_DECLINE, { input: { conversationId } });
      return;
    }
    await sleep(pace.acceptMs, undefined, { signal: this.#stop.signal });
    await this.#run(documents.OFFER_ACCEPT, { input: { conversationId } });
  }

  #becomeAvailable(): Promise<unknown> {
    return this.#run(documents.BECOME_AVAILABLE, { input: { chat: true } });
  }

  /** Starts to answer in a conversation, unless that is already happening. */
  #talk(id: string, viewer: Viewer): void {
    if (this.#conversations.has(id) || this.#stop.signal.aborted) return;
    const { client, pace } = this.#work;
    const conversation = new PlayedConversation(id, { client, pace, viewer, getToken: () => this.#token ?? '' });
    this.#conversations.set(id, conversation);
    void conversation.run();
  }

  #stopTalking(id: string): void {
    this.#conversations.get(id)?.end();
    this.#conversations.delete(id);
  }

  #run<Data>(query: string, variables: object): Promise<Data> {
    return this.#work.client.run<Data>(this.#token ?? '', query, variables);
  }
}

function toRefusal(errors: readonly unknown[]): RefusedRequest {
  const [error] = errors as { message: string; extensions?: { code?: string } }[];
  return new RefusedRequest(error?.extensions?.code ?? 'UNREADABLE', error?.message ?? '');
}
