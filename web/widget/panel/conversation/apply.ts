import { mergeMessages } from '../state/messages.ts';
import type { Conversation, Message, Outgoing, State, Upload } from '../state/state.ts';

export interface Signal {
  readonly kind: string;
  readonly author: string;
  readonly operator: { readonly pseudo: string } | null;
  readonly upTo: number | null;
}

export type ConversationChange =
  /** The conversation was read, or an event of it arrived. Messages may arrive several times. */
  | { readonly type: 'received'; readonly conversation: Conversation; readonly messages: readonly Message[] }
  | { readonly type: 'signal'; readonly signal: Signal }
  | { readonly type: 'queued'; readonly message: Outgoing }
  | { readonly type: 'sent'; readonly clientId: string }
  | { readonly type: 'failed'; readonly clientId: string; readonly failure: 'network' | 'refused' }
  /** One message, or all that the network did not take. */
  | { readonly type: 'retried'; readonly clientId: string | undefined }
  | { readonly type: 'uploading'; readonly upload: Upload }
  | { readonly type: 'removed'; readonly key: string }
  /** The conversation is over for this browser: the service does not know it, or the visitor begins anew. */
  | { readonly type: 'forgotten' };

/** What happens in a conversation, without side effects. */
export function apply(state: State, event: ConversationChange): State {
  switch (event.type) {
    case 'received':
      return receive(state, event.conversation, event.messages);
    case 'signal':
      return applySignal(state, event.signal);
    case 'queued':
      return { ...state, outbox: [...state.outbox, event.message] };
    case 'sent':
      return { ...state, outbox: state.outbox.filter(({ clientId }) => clientId !== event.clientId) };
    case 'failed':
      return changeOutbox(state, ({ clientId }) => clientId === event.clientId, event.failure);
    case 'retried':
      return changeOutbox(state, ({ clientId, failure }) =>
        event.clientId ? clientId === event.clientId : failure === 'network',
      );
    case 'uploading':
      return { ...state, uploads: replaceUpload(state.uploads, event.upload) };
    case 'removed':
      return { ...state, uploads: state.uploads.filter(({ key }) => key !== event.key) };
    case 'forgotten': {
      const { draft } = returnUnsent(state);
      return { ...state, conversation: undefined, messages: [], outbox: [], uploads: [], draft, typing: undefined };
    }
  }
}

function receive(state: State, conversation: Conversation, received: readonly Message[]): State {
  const isSame = state.conversation?.id === conversation.id;
  const messages = mergeMessages(isSame ? state.messages : [], received);
  const confirmed = new Set(received.map(({ clientId }) => clientId));
  const outbox = state.outbox.filter(({ clientId }) => !confirmed.has(clientId));
  const hasAnswered = received.some(({ author }) => author === 'OPERATOR');
  const next = {
    ...{
      ...state,
      messages,
      outbox,
      conversation: isSame ? keepMarkers(state.conversation, conversation) : conversation,
    },
    typing: hasAnswered || conversation.state !== 'ACTIVE' ? undefined : state.typing,
  };
  return conversation.state === 'CLOSED' ? { ...next, ...returnUnsent(next), uploads: [] } : next;
}

/** Events and answers overtake each other; markers never go back, and a closed conversation stays closed. */
function keepMarkers(before: Conversation | undefined, after: Conversation): Conversation {
  if (!before) return after;
  return {
    ...(before.state === 'CLOSED' ? before : after),
    satisfaction: after.satisfaction ?? before.satisfaction,
    readByOperatorUpTo: Math.max(before.readByOperatorUpTo, after.readByOperatorUpTo),
    readByVisitorUpTo: Math.max(before.readByVisitorUpTo, after.readByVisitorUpTo),
  };
}

/** What could not be sent before the end becomes the draft of the next conversation. */
function returnUnsent({ outbox, draft }: State): Pick<State, 'outbox' | 'draft'> {
  const texts = [...outbox.map(({ text }) => text), draft].filter((text) => text !== '');
  return { outbox: [], draft: texts.join('\n') };
}

function applySignal(state: State, { kind, author, operator, upTo }: Signal): State {
  const { conversation } = state;
  if (!conversation) return state;
  if (kind === 'TYPING' && author === 'OPERATOR') return { ...state, typing: operator?.pseudo ?? '' };
  if (kind !== 'READ' || upTo === null) return state;
  const name = author === 'VISITOR' ? 'readByVisitorUpTo' : 'readByOperatorUpTo';
  return { ...state, conversation: { ...conversation, [name]: Math.max(conversation[name], upTo) } };
}

function changeOutbox(state: State, matches: (message: Outgoing) => boolean, failure?: Outgoing['failure']): State {
  return { ...state, outbox: state.outbox.map((each) => (matches(each) ? { ...each, failure } : each)) };
}

function replaceUpload(uploads: readonly Upload[], upload: Upload): Upload[] {
  return uploads.some(({ key }) => key === upload.key)
    ? uploads.map((each) => (each.key === upload.key ? upload : each))
    : [...uploads, upload];
}
