import { runMutation } from '../../shared/api/mutation.ts';
import { type Answer, type Failure, fail, succeed } from '../../shared/api/request.ts';
import type { Attachment, PendingMessage } from '../state/model.ts';
import type { DeskStore } from '../state/store.ts';
import { ADD_NOTE, SEND } from './mutations.ts';
import { type OutboxEntry, OutboxStorage } from './outbox-storage.ts';

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 15_000;

/**
 * Sends messages and notes, in their order in each conversation. An entry keeps its identifier until the service has
 * confirmed it, so it is stored once, also when its answer is lost, or when another tab with the same outbox sends it too.
 */
export class Outbox {
  readonly #store: DeskStore;
  readonly #storage: OutboxStorage;
  readonly #onLoggedOut: () => void;
  readonly #entries = new Map<string, OutboxEntry>();
  /** Entries that the browser has kept: if one is gone there, another tab has removed it. */
  readonly #stored = new Set<string>();
  /** Conversations in which a message is on its way. */
  readonly #sending = new Set<string>();
  readonly #waiting = new Set<() => void>();
  readonly #listeners = new Set<() => void>();
  readonly #unsubscribe: () => void;
  #lastTime = 0;
  #isStopped = false;

  constructor(owner: string, store: DeskStore, onLoggedOut: () => void) {
    this.#store = store;
    this.#storage = new OutboxStorage(owner);
    this.#onLoggedOut = onLoggedOut;
    for (const entry of this.#storage.read(Date.now())) {
      this.#entries.set(entry.clientId, entry);
      this.#stored.add(entry.clientId);
    }
    this.#unsubscribe = store.subscribe(() => this.#synchronize());
    this.#synchronize();
  }

  add(
    conversationId: string,
    kind: PendingMessage['kind'],
    text: string,
    attachments: readonly Attachment[] = [],
  ): string {
    const clientId = crypto.randomUUID();
    this.#lastTime = Math.max(this.#lastTime + 1, Date.now() - this.#store.getState().clockOffset);
    const at = new Date(this.#lastTime).toISOString();
    this.#keep({ conversationId, kind, clientId, text, attachments, at, failure: null });
    this.#synchronize();
    void this.#send(conversationId);
    return clientId;
  }

  resend(conversationId: string, clientId: string): void {
    const entry = this.#entries.get(clientId);
    if (entry === undefined) return;
    this.#fail(entry, null);
    void this.#send(conversationId);
  }

  discard(conversationId: string, clientId: string): void {
    this.#forget(clientId);
    this.#store.dispatchNow({ type: 'pendingRemoved', conversationId, clientId });
  }

  /** There is a connection (again). */
  flush(): void {
    for (const wake of [...this.#waiting]) wake();
    for (const { conversationId } of this.#entries.values()) void this.#send(conversationId);
  }

  /** Resolves when everything that was written in a conversation is sent or refused. */
  async settle(conversationId: string): Promise<Answer<undefined>> {
    for (;;) {
      const entries = [...this.#entries.values()].filter((each) => each.conversationId === conversationId);
      if (entries.every(({ failure }) => failure !== null)) return succeed(undefined);
      if (this.#isStopped) return fail({ kind: 'unreachable' });
      await new Promise<void>((resolve) => this.#listeners.add(resolve));
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#unsubscribe();
    for (const wake of [...this.#waiting]) wake();
    this.#notify();
  }

  /** Shows entries in conversations that have come, and forgets those that are confirmed. */
  #synchronize(): void {
    for (const { conversationId, ...message } of this.#entries.values()) {
      const isShown = () =>
        this.#store
          .getState()
          .conversations.get(conversationId)
          ?.pending.some(({ clientId }) => clientId === message.clientId);
      if (isShown() !== false) continue; // or there is no such conversation
      this.#store.dispatchNow({ type: 'pendingAdded', conversationId, message });
      if (isShown() === false) this.#forget(message.clientId);
    }
  }

  async #send(conversationId: string): Promise<void> {
    if (this.#sending.has(conversationId)) return;
    this.#sending.add(conversationId);
    for (let attempt = 0; !this.#isStopped; ) {
      const entry = this.#findNext(conversationId);
      if (entry === undefined) break;
      const failure = await this.#deliver(entry);
      if (failure === undefined) attempt = 0;
      else if (failure.kind === 'refused') this.#fail(entry, failure.code);
      else if (failure.kind === 'loggedOut') {
        this.#onLoggedOut();
        break;
      } else if (failure.kind === 'limited') await this.#wait(failure.seconds * 1000);
      else await this.#wait(Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt++));
    }
    this.#sending.delete(conversationId);
  }

  #findNext(conversationId: string): OutboxEntry | undefined {
    for (const entry of [...this.#entries.values()]) {
      if (entry.conversationId !== conversationId || entry.failure !== null) continue;
      if (!this.#stored.has(entry.clientId) || this.#storage.has(entry.clientId)) return entry;
      this.discard(conversationId, entry.clientId); // sent or discarded in another tab
    }
    return undefined;
  }

  #deliver(entry: OutboxEntry): Promise<Failure | undefined> {
    return entry.kind === 'note' ? this.#deliverNote(entry) : this.#deliverMessage(entry);
  }

  async #deliverNote({ conversationId, clientId, text }: OutboxEntry): Promise<Failure | undefined> {
    const answer = await runMutation(ADD_NOTE, { input: { conversationId, clientId, text } });
    if (!answer.ok) return answer.failure;
    this.#forget(clientId);
    const { note } = answer.value;
    if (note) this.#store.dispatchNow({ type: 'noteAdded', conversationId, note });
    this.#store.dispatchNow({ type: 'pendingRemoved', conversationId, clientId });
    return undefined;
  }

  async #deliverMessage({ conversationId, clientId, text, attachments }: OutboxEntry): Promise<Failure | undefined> {
    const input = { conversationId, clientId, text, attachmentIds: attachments.map(({ id }) => id) };
    const answer = await runMutation(SEND, { input });
    if (!answer.ok) return answer.failure;
    this.#forget(clientId);
    const { message } = answer.value;
    if (message === null) return undefined;
    this.#store.dispatchNow({ type: 'messagesRead', conversationId, messages: [message] });
    const last = this.#store.getState().conversations.get(conversationId)?.messages.at(-1)?.sequence ?? 0;
    // Otherwise the messages before it are still to come, and it stays in sight until then.
    if (message.sequence <= last) this.#store.dispatchNow({ type: 'pendingRemoved', conversationId, clientId });
    return undefined;
  }

  #fail(entry: OutboxEntry, failure: string | null): void {
    if (!this.#entries.has(entry.clientId)) return; // discarded meanwhile, or confirmed by its event
    this.#keep({ ...entry, failure });
    const { conversationId, clientId } = entry;
    this.#store.dispatchNow({ type: 'pendingFailed', conversationId, clientId, failure });
  }

  #keep(entry: OutboxEntry): void {
    this.#entries.set(entry.clientId, entry);
    this.#storage.write(entry);
    if (this.#storage.has(entry.clientId)) this.#stored.add(entry.clientId);
    this.#notify();
  }

  #forget(clientId: string): void {
    this.#entries.delete(clientId);
    this.#stored.delete(clientId);
    this.#storage.remove(clientId);
    this.#notify();
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) {
      this.#listeners.delete(listener);
      listener();
    }
  }

  /** Until the time has passed, or there is a connection again. */
  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#waiting.add(end);
    });
  }
}
