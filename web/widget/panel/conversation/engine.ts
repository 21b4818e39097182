import type { Chat } from '../chat.ts';
import { findLastSequence } from '../state/messages.ts';
import type { Conversation, Message, ReadConversation } from '../state/state.ts';
import { canAnswerSurvey } from '../state/view.ts';
import { apply } from './apply.ts';
import type { Context } from './context.ts';
import { Outbox } from './outbox.ts';
import { PageWatch } from './page-watch.ts';
import { Connection } from './service/connection.ts';
import { ask } from './service/graphql.ts';
import { CLOSE, IDENTIFY, LEAVE, MARK_READ, RATE, READ, TYPING } from './service/operations.ts';
import { Session } from './service/session.ts';
import { Uploads } from './uploads.ts';
import { describePage, findPerson, pickDetails } from './visitor.ts';

const TICK_MS = 1000;
const QUEUE_TICKS = 10;
const RENEWAL_TICKS = 60;
const TYPING_INTERVAL_MS = 2000;
const TYPING_SHOWN_MS = 3000;
const PAGE_OF_MESSAGES = 1000;

interface ReadAnswer {
  readonly eventPosition: string;
  readonly conversation: ReadConversation | null;
}

/** Brings the state in line with the service while there is a conversation. */
export class Engine {
  readonly outbox: Outbox;
  readonly uploads: Uploads;
  readonly #context: Context;
  readonly #connection: Connection;
  readonly #page: PageWatch;
  readonly #stop = new AbortController();
  #followed: string | undefined;
  /** Every message up to this one is known. A later one may be too: the answer to a message overtakes what came before. */
  #readUpTo = 0;
  #ticks = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #typingEnd: ReturnType<typeof setTimeout> | undefined;
  #typedAt = Number.NEGATIVE_INFINITY;

  constructor(chat: Chat) {
    const { service } = chat.host;
    const session = new Session(service, chat.stored, () => this.#describeSession());
    this.#context = {
      ...{ chat, session },
      ask: (query, variables) => ask(service, session, query, variables),
      apply: (change) => chat.set(apply(chat.state, change)),
    };
    this.#page = new PageWatch(this.#context);
    this.outbox = new Outbox(this.#context, this.#page, () => this.followStored());
    this.uploads = new Uploads(this.#context, this.outbox);
    this.#connection = new Connection(service, session, {
      read: () => this.#read(),
      onEvent: ({ conversation, message }) => {
        if (message?.sequence === this.#readUpTo + 1) this.#readUpTo++;
        this.#receive(conversation, message ? [message] : []);
      },
      onSignal: (signal) => {
        this.#context.apply({ type: 'signal', signal });
        clearTimeout(this.#typingEnd);
        this.#typingEnd = setTimeout(() => chat.set({ typing: undefined }), TYPING_SHOWN_MS);
      },
      onConnected: () => {
        if (chat.state.isReconnecting) chat.set({ isReconnecting: false });
        this.outbox.retry();
      },
      onLost: () => chat.set({ isReconnecting: true }),
    });
    const { signal } = this.#stop;
    for (const type of ['online', 'offline']) {
      window.addEventListener(type, () => this.#connection.reconnect(), { signal });
    }
    this.identify();
    this.followStored();
  }

  /** The conversation of this browser was started or left behind, here or in another tab. */
  followStored(): void {
    const { chat, apply } = this.#context;
    const { conversationId } = chat.stored.values;
    if (conversationId === this.#followed) return;
    this.#followed = conversationId;
    this.#readUpTo = 0;
    this.#rest();
    if (chat.state.conversation && chat.state.conversation.id !== conversationId) apply({ type: 'forgotten' });
    chat.set({ page: 'auto', problem: '', isLoading: conversationId !== undefined, isReconnecting: false });
    if (!conversationId) return;
    this.#connection.start(conversationId);
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  /** Ends the conversation for both sides. */
  async end(): Promise<void> {
    const { chat, ask } = this.#context;
    await ask(CLOSE, { input: { id: this.#followed } });
    await this.#read();
    if (canAnswerSurvey(chat.state)) chat.set({ page: 'survey' });
  }

  async rate(answers: Readonly<Record<string, number | string>>): Promise<void> {
    await this.#context.ask(RATE, { input: { conversationId: this.#followed, ...answers } });
    this.#context.chat.set({ page: 'thanks' });
  }

  async leaveMessage(message: Readonly<Record<string, string>>): Promise<void> {
    const { chat, ask } = this.#context;
    const { page } = describePage(undefined) as { page?: string };
    await ask(LEAVE, { input: { ...message, ...(page && { page }) } });
    chat.stored.set({ form: undefined });
    chat.set({ page: 'left' });
  }

  /** The visitor sees the messages up to this one. */
  noteSeen(upTo: number): void {
    const { chat, ask, apply } = this.#context;
    const { conversation, isOpen } = chat.state;
    if (!conversation || !isOpen || document.hidden || upTo <= conversation.readByVisitorUpTo) return;
    apply({ type: 'signal', signal: { kind: 'READ', author: 'VISITOR', operator: null, upTo } });
    ask(MARK_READ, { input: { id: conversation.id, upTo } }).catch(() => undefined);
  }

  noteTyping(): void {
    const { chat, ask } = this.#context;
    const { conversation, draft } = chat.state;
    const now = performance.now();
    if (conversation?.state !== 'ACTIVE' || draft === '' || now - this.#typedAt < TYPING_INTERVAL_MS) return;
    this.#typedAt = now;
    ask(TYPING, { input: { conversationId: conversation.id } }).catch(() => undefined);
  }

  /** The page has said who the visitor is, or given other fields. */
  notePage(): void {
    this.#page.forget();
    this.identify();
  }

  identify(): void {
    const { chat, session, ask } = this.#context;
    const { token, person, isOpen } = chat.stored.values;
    const { identity } = chat;
    const next = identity ? findPerson(identity) : undefined;
    if (identity === null || (person && next && person !== next)) {
      // Another person at the same device must not see the conversation.
      chat.set({ draft: '', outbox: [] });
      chat.stored.clear();
      this.forget();
    } else if (token && next && person !== next && identity?.identity) {
      ask(IDENTIFY, { input: { token: identity.identity } }).then(
        () => chat.stored.set({ person: next }),
        () => undefined,
      );
    } else if (token && next && person !== next && !isOpen) session.drop(token); // the next session names the visitor
  }

  /** The conversation is over for this browser. */
  forget(): void {
    this.#context.chat.stored.set({ conversationId: undefined, isOpen: false });
    this.followStored();
  }

  /** Reads a message again: the addresses of its files end after some minutes. */
  async refresh(sequence: number): Promise<void> {
    const variables = { id: this.#followed, after: sequence - 1 };
    const { conversation } = await this.#context.ask<ReadAnswer>(READ, variables);
    if (conversation) this.#receive(conversation, conversation.messages);
  }

  destroy(): void {
    this.#stop.abort();
    this.#rest();
  }

  #rest(): void {
    this.#connection.stop();
    clearInterval(this.#timer);
  }

  async #read(): Promise<string | undefined> {
    const { ask } = this.#context;
    const id = this.#followed;
    for (;;) {
      const variables = { id, after: this.#readUpTo };
      const { conversation, eventPosition } = await ask<ReadAnswer>(READ, variables);
      if (id !== this.#followed) return undefined;
      if (!conversation) {
        this.forget(); // it belongs to a session that has ended
        return undefined;
      }
      this.#readUpTo = Math.max(this.#readUpTo, findLastSequence(conversation.messages));
      this.#receive(conversation, conversation.messages);
      if (conversation.state === 'CLOSED') return undefined;
      if (conversation.messages.length < PAGE_OF_MESSAGES) return eventPosition;
    }
  }

  #receive(conversation: Conversation, messages: readonly Message[]): void {
    const { chat, apply } = this.#context;
    const before = chat.state;
    apply({ type: 'received', conversation, messages });
    if (before.isLoading) chat.set({ isLoading: false });
    const known = new Set(before.messages.map(({ sequence }) => sequence));
    for (const { author, text, sequence } of messages) {
      if (before.conversation && !known.has(sequence) && author === 'OPERATOR') chat.host.emit('message', { text });
    }
    if (chat.state.conversation?.state !== 'CLOSED') return;
    this.#rest();
    if (chat.stored.values.isOpen) chat.stored.set({ isOpen: false });
    if (before.conversation && before.conversation.state !== 'CLOSED') {
      chat.host.emit('end', { conversationId: conversation.id });
    }
  }

  /** Once a second while a conversation is open. */
  #tick(): void {
    const { chat, session } = this.#context;
    const state = chat.state.conversation?.state;
    this.#ticks++;
    const isWaiting = state === 'QUEUED' || state === 'OFFERED';
    if (isWaiting && this.#ticks % QUEUE_TICKS === 0) this.#read().catch(() => undefined);
    if (this.#ticks % RENEWAL_TICKS === 0) session.getToken().catch(() => undefined); // renews it in time
    this.#page.check();
  }

  #describeSession(): object {
    const { chat } = this.#context;
    const identity = chat.identity ?? {};
    const { externalId, signature } = identity;
    chat.stored.set({ person: findPerson(identity) });
    const { accountId, websiteId, language } = chat.state.settings;
    return {
      ...{ accountId, websiteId, language, context: describePage(chat.fields) },
      ...(identity.identity ? { identity: identity.identity } : { externalId, signature, ...pickDetails(identity) }),
    };
  }
}
