import type { ConversationFields, DeskEvent, DeskReading } from '../../../web/desk/state/change.ts';
import type { Message } from '../../../web/desk/state/model.ts';
import { createEvent, createFields, createMessage, createReading, toTime, VIEWER } from './states.ts';

interface StoredConversation {
  fields: ConversationFields;
  readonly messages: Message[];
}

/** What happens on the side of the service; `conversation` chooses one of a few. */
export type Happening =
  | { readonly kind: 'offer' | 'start' | 'lose' | 'close' | 'tag'; readonly conversation: number }
  | { readonly kind: 'message'; readonly conversation: number; readonly isOwn: boolean };

interface LoggedEvent extends Pick<DeskEvent, 'type' | 'reason' | 'conversationId'> {
  readonly sequence: number | undefined;
}

/** The part of the service that a desk talks with: an event log, and objects in their current state. */
export class DeskService {
  readonly #conversations = new Map<string, StoredConversation>();
  readonly #log: LoggedEvent[] = [];

  get position(): number {
    return this.#log.length;
  }

  happen(happening: Happening): void {
    const id = String(happening.conversation);
    const stored = this.#conversations.get(id);
    const isOwn = stored?.fields.operator?.id === VIEWER.id;
    const { kind } = happening;
    if (kind === 'offer' || kind === 'start') {
      if (isOwn && (kind === 'offer' || stored.fields.state !== 'OFFERED')) return;
      if (stored?.fields.state === 'CLOSED') return;
      const state = kind === 'offer' ? 'OFFERED' : 'ACTIVE';
      this.#change(id, { state, operator: { id: VIEWER.id, pseudo: VIEWER.pseudo } });
      this.#announce(kind === 'offer' ? 'conversation.offered' : 'conversation.started', id);
      return;
    }
    // Messages of others, to whom the viewer does not listen.
    if (kind === 'message' && stored && stored.fields.state !== 'CLOSED') {
      const sequence = stored.messages.length + 1;
      const author = happening.isOwn ? 'OPERATOR' : 'VISITOR';
      stored.messages.push(createMessage(sequence, { author, clientId: happening.isOwn ? `${id}-${sequence}` : null }));
      this.#change(id, { messageCount: sequence });
      if (isOwn) this.#announce('message.created', id, null, sequence);
    }
    if (!stored || !isOwn || stored.fields.state === 'CLOSED') return;
    if (kind === 'lose') {
      this.#change(id, { state: 'QUEUED', operator: null });
      this.#announce('conversation.queued', id, 'declined');
    } else if (kind === 'close') {
      this.#change(id, { state: 'CLOSED', closedAt: toTime(this.position) });
      this.#announce('conversation.closed', id);
    } else if (kind === 'tag') {
      this.#change(id, { tags: [{ id: String(this.position), name: 'Tag' }] });
      this.#announce('conversation.updated', id);
    }
  }

  /** The event after this position, with its objects as they are now. */
  readEvent(position: number): DeskEvent {
    const { type, reason, conversationId, sequence } = this.#log[position] as LoggedEvent;
    const stored = this.#conversations.get(conversationId ?? '');
    const isVisible = stored?.fields.operator?.id === VIEWER.id;
    return createEvent(position + 1, type, {
      ...{ reason, conversationId, conversation: isVisible ? stored.fields : null },
      message: isVisible && sequence !== undefined ? (stored.messages[sequence - 1] ?? null) : null,
    });
  }

  read(last: number): DeskReading {
    const own = [...this.#conversations.values()].filter(({ fields }) => fields.operator?.id === VIEWER.id);
    const conversations = own.map(({ fields, messages }) => ({ ...fields, messages: messages.slice(-last) }));
    return createReading(conversations, String(this.position));
  }

  readMessages(id: string, after: number, first: number): readonly Message[] {
    return this.#conversations.get(id)?.messages.slice(after, after + first) ?? [];
  }

  #change(id: string, changes: Partial<ConversationFields>): void {
    const stored = this.#conversations.get(id) ?? { fields: createFields(id), messages: [] };
    const fields = { ...stored.fields, ...changes };
    const unreadCount = stored.messages.filter(({ author }) => author === 'VISITOR').length;
    this.#conversations.set(id, { messages: stored.messages, fields: { ...fields, unreadCount } });
  }

  #announce(type: string, conversationId: string, reason: string | null = null, sequence?: number): void {
    this.#log.push({ type, reason, conversationId, sequence });
  }
}
