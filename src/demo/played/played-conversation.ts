import { setTimeout as sleep } from 'node:timers/promises';
import { type Pace, planNext } from './behaviour.ts';
import * as documents from './documents.ts';
import type { HeardMessage } from './heard.ts';
import type { ServiceClient } from './service-client.ts';

/** The service sends at most one typing signal per second; readers show it for about three. */
const TYPING_INTERVAL_MS = 2000;
const RETRY_MS = 2000;

export interface MessageView {
  readonly sequence: number;
  readonly author: 'OPERATOR' | 'VISITOR' | 'NOTICE';
  readonly text: string;
  readonly operator: { readonly id: string } | null;
  readonly attachments: readonly { readonly isImage: boolean }[];
}

/** The operator whom a played person is, as the service knows them. */
export interface Viewer {
  readonly id: string;
  readonly pseudo: string;
}

interface ConversationView {
  readonly state: string;
  readonly language: string;
  readonly operator: { readonly id: string } | null;
  readonly visitor: {
    readonly firstname: string;
    readonly context: { readonly page: string; readonly title: string } | null;
  } | null;
  readonly messages: readonly MessageView[];
}

interface Desk {
  readonly client: ServiceClient;
  readonly viewer: Viewer;
  readonly pace: Pace;
  /** Of the current session. */
  getToken(): string;
}

/** One conversation of a played person, from the acceptance until it ends or goes to another operator. */
export class PlayedConversation {
  readonly id: string;
  readonly #desk: Desk;
  readonly #startedAt = performance.now();
  readonly #messages = new Map<number, HeardMessage>();
  readonly #end = new AbortController();
  #lastSequence = 0;
  #view: ConversationView | undefined;
  /** Aborted by the next message, because the plan changes then. */
  #news = new AbortController();

  constructor(id: string, desk: Desk) {
    this.id = id;
    this.#desk = desk;
  }

  /** Runs until the conversation ends. After a failure it reads the conversation again, and continues if it can. */
  async run(): Promise<void> {
    while (!this.#end.signal.aborted) {
      try {
        const view = this.#view ?? (await this.#read());
        if (view) await this.#takeStep(view);
      } catch {
        this.#view = undefined;
        await this.#waitUntil(performance.now() + RETRY_MS, this.#end.signal);
      }
    }
  }

  end(): void {
    this.#end.abort();
  }

  hear({ sequence, author, text, operator, attachments }: MessageView): void {
    if (this.#messages.has(sequence)) return;
    this.#lastSequence = Math.max(this.#lastSequence, sequence);
    if (author === 'NOTICE') return;
    const file = attachments.length === 0 ? undefined : attachments.every(({ isImage }) => isImage) ? 'image' : 'other';
    const isOwn = operator?.id === this.#desk.viewer.id;
    this.#messages.set(sequence, {
      author: author === 'VISITOR' ? 'visitor' : isOwn ? 'self' : 'colleague',
      text,
      file,
      at: performance.now(),
    });
    this.#news.abort();
    this.#news = new AbortController();
  }

  /** Ends if the conversation is not, or no longer, with this person. */
  async #read(): Promise<ConversationView | undefined> {
    const { conversation } = await this.#run<{ conversation: ConversationView | null }>(documents.CONVERSATION, {
      id: this.id,
    });
    if (conversation?.state !== 'ACTIVE' || conversation.operator?.id !== this.#desk.viewer.id) {
      this.end();
      return undefined;
    }
    for (const message of conversation.messages) this.hear(message);
    this.#view = conversation;
    return conversation;
  }

  async #takeStep({ language, visitor }: ConversationView): Promise<void> {
    const { viewer, pace } = this.#desk;
    const signal = AbortSignal.any([this.#news.signal, this.#end.signal]);
    const step = planNext(
      {
        pseudo: viewer.pseudo,
        visitorName: visitor?.firstname ?? '',
        language,
        page: `${visitor?.context?.page ?? ''} ${visitor?.context?.title ?? ''}`,
        startedAt: this.#startedAt,
        messages: [...this.#messages].sort(([a], [b]) => a - b).map(([, message]) => message),
      },
      pace,
    );
    if (step.kind === 'close') {
      if (!(await this.#waitUntil(step.at, signal))) return;
      await this.#mutate(documents.CONVERSATION_CLOSE, { id: this.id });
      this.end();
      return;
    }
    if (!(await this.#waitUntil(step.typeAt, signal))) return;
    const conversationId = this.id;
    await this.#mutate(documents.CONVERSATION_READ, { id: conversationId, upTo: this.#lastSequence });
    do {
      await this.#mutate(documents.TYPING, { conversationId });
      const pauseEnd = Math.min(step.sendAt, performance.now() + TYPING_INTERVAL_MS);
      if (!(await this.#waitUntil(pauseEnd, signal))) return;
    } while (performance.now() < step.sendAt);
    if (signal.aborted) return;
    // The same plan has the same clientId: a message whose answer was lost is not sent twice.
    const clientId = `played-${conversationId}-${this.#lastSequence}`;
    const { messageSend } = await this.#mutate<{ messageSend: { message: MessageView } }>(documents.MESSAGE_SEND, {
      ...{ conversationId, clientId, text: step.text },
    });
    this.hear(messageSend.message);
  }

  #mutate<Data>(query: string, input: object): Promise<Data> {
    return this.#run<Data>(query, { input });
  }

  #run<Data>(query: string, variables: object): Promise<Data> {
    return this.#desk.client.run<Data>(this.#desk.getToken(), query, variables);
  }

  /** Returns false if the signal was aborted first. */
  async #waitUntil(time: number, signal: AbortSignal): Promise<boolean> {
    try {
      await sleep(Math.max(0, time - performance.now()), undefined, { signal });
      return true;
    } catch {
      return false;
    }
  }
}
