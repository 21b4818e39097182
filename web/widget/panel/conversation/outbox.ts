import type { NewConversation } from '../conversation-part.ts';
import type { Message, Outgoing, ReadConversation } from '../state/state.ts';
import type { Context } from './context.ts';
import type { PageWatch } from './page-watch.ts';
import { Failure } from './service/failure.ts';
import { SEND, SET_VISITOR, START } from './service/operations.ts';

const MAX_SENDING_MS = 30_000;
const MAX_DELAY_MS = 5000;

/** Sends messages in their order. A message has one identifier until it is confirmed, so it is stored only once. */
export class Outbox {
  readonly #context: Context;
  readonly #page: PageWatch;
  readonly #onStarted: () => void;
  #isSending = false;
  #endWait = () => {};

  constructor(context: Context, page: PageWatch, onStarted: () => void) {
    this.#context = context;
    this.#page = page;
    this.#onStarted = onStarted;
  }

  /** One message, or all that the network did not take. */
  retry(clientId?: string): void {
    const { chat, apply } = this.#context;
    this.#endWait();
    if (!chat.state.outbox.some(({ failure }) => failure)) return;
    apply({ type: 'retried', clientId });
    this.flush();
  }

  async flush(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    for (;;) {
      const message = this.#context.chat.state.outbox.find(({ failure }) => !failure);
      if (!message) break;
      await this.#deliver(message);
    }
    this.#isSending = false;
  }

  async start({ clientId, text, details }: NewConversation): Promise<void> {
    const { chat, session, ask, apply } = this.#context;
    const hadSession = chat.stored.values.token !== undefined;
    await session.getToken();
    if (hadSession) this.#page.send();
    if (details && Object.keys(details).length > 0) {
      await ask(SET_VISITOR, { input: details }).catch((error) => {
        if (error.kind !== 'refused') throw error; // the website's server has signed another value
      });
    }
    const { language } = chat.state.settings;
    const input = { channel: 'CHAT', language, clientId, ...(text && { message: text }) };
    const { conversationStart } = await ask<{ conversationStart: { conversation: ReadConversation } }>(START, {
      input,
    });
    const { conversation } = conversationStart;
    chat.stored.set({ conversationId: conversation.id, isOpen: true, form: undefined });
    chat.stored.rememberPanel(chat.state.isOpen);
    apply({ type: 'received', conversation, messages: conversation.messages });
    this.#onStarted();
    chat.host.emit('start', { conversationId: conversation.id });
  }

  async #deliver(message: Outgoing): Promise<void> {
    const { clientId } = message;
    const { chat, apply } = this.#context;
    const deadline = Date.now() + MAX_SENDING_MS;
    const isWaiting = () => chat.state.outbox.some((each) => each.clientId === clientId);
    for (let attempt = 0; isWaiting(); attempt++) {
      try {
        await this.#send(message);
        return;
      } catch (error) {
        const { kind, retryAfterSeconds } = error instanceof Failure ? error : new Failure('refused');
        if (kind !== 'network') chat.set({ problem: chat.explain(error) });
        if (kind === 'refused' || (kind === 'network' && Date.now() > deadline)) {
          apply({ type: 'failed', clientId, failure: kind });
          return;
        }
        const delay = retryAfterSeconds * 1000 || Math.min(MAX_DELAY_MS, 500 * 2 ** attempt);
        await this.#wait(delay, kind === 'network');
        if (kind === 'limit') chat.set({ problem: '' });
      }
    }
  }

  /** Until the time has passed, or until the service is connected again. */
  #wait(ms: number, endsWithConnection: boolean): Promise<void> {
    return new Promise((resolve) => {
      if (endsWithConnection) this.#endWait = resolve;
      setTimeout(resolve, ms);
    });
  }

  async #send({ clientId, text, files }: Outgoing): Promise<void> {
    const { chat, ask, apply } = this.#context;
    const { conversationId } = chat.stored.values;
    if (!conversationId) return this.start({ clientId, text });
    const input = { conversationId, clientId, text, attachmentIds: files.map(({ id }) => id) };
    const { messageSend } = await ask<{ messageSend: { message: Message } }>(SEND, { input });
    const { conversation } = chat.state;
    if (conversation) apply({ type: 'received', conversation, messages: [messageSend.message] });
    apply({ type: 'sent', clientId });
  }
}
