import type { DeskEvent, OperatorFields } from './change.ts';
import { createConversation, keep, mergeMessages, mergeNotes, replaceFields } from './conversation.ts';
import type { DeskConversation, DeskState, Loss } from './model.ts';
import { removeConfirmed } from './pending.ts';
import { comparePositions } from './position.ts';

/** Events that take a conversation away from the viewer. */
const LOSSES = ['conversation.queued', 'conversation.transferred'];
/** Reasons that are the operator's own doing. */
const OWN_REASONS = ['declined'];

/** Events come once and in order; one that is known already changes nothing. */
export function applyEvent(state: DeskState, event: DeskEvent, isExpected: boolean): DeskState {
  if (comparePositions(event.position, state.position) <= 0) return state;
  return { ...applyContent(state, event, isExpected), position: event.position };
}

function applyContent(state: DeskState, event: DeskEvent, isExpected: boolean): DeskState {
  const { type, conversation, conversationId, operator, visitorId, position } = event;
  if (operator) return applyOperator(state, operator);
  if (visitorId !== null) return { ...state, visitorChanges: new Map(state.visitorChanges).set(visitorId, position) };
  if (type.startsWith('message_left.')) return { ...state, messagesLeftChange: position };
  if (conversationId === null) return state;
  if (LOSSES.includes(type)) return lose(state, event, conversationId, isExpected);
  if (conversation === null) return state; // it was lost since, and that event follows
  const before = state.conversations.get(conversationId);
  const known = before ? replaceFields(before, conversation) : createConversation(conversation);
  const changed = addContent(known, event);
  return {
    ...state,
    conversations: new Map(state.conversations).set(conversationId, changed),
    losses: state.losses.some((loss) => loss.conversationId === conversationId)
      ? state.losses.filter((loss) => loss.conversationId !== conversationId) // it is here again
      : state.losses,
  };
}

function addContent(known: DeskConversation, { message, note }: DeskEvent): DeskConversation {
  const withMessage = message ? mergeMessages(known, [message]) : known;
  const withNote = note ? mergeNotes(withMessage, [note]) : withMessage;
  const hasStoppedTyping = message?.author === 'VISITOR' && withNote.visitorTypingUntil > 0;
  return removeConfirmed(hasStoppedTyping ? { ...withNote, visitorTypingUntil: 0 } : withNote);
}

/** What was written and not sent stays in the outbox, and is there again with the conversation. */
function lose(state: DeskState, { reason, at }: DeskEvent, conversationId: string, isExpected: boolean): DeskState {
  const lost = state.conversations.get(conversationId);
  if (lost === undefined) return state;
  const conversations = new Map(state.conversations);
  conversations.delete(conversationId);
  const isOwn = isExpected || (reason !== null && OWN_REASONS.includes(reason));
  const loss: Loss = { conversationId, reason: reason ?? 'transfer', visitor: lost.visitor, at };
  return { ...state, conversations, losses: isOwn ? state.losses : [...state.losses, loss] };
}

function applyOperator(state: DeskState, operator: OperatorFields): DeskState {
  if (operator.id !== state.viewer.id) return state;
  const { viewer } = state;
  const live = keep(viewer.live, operator.live);
  const preferences = keep(viewer.preferences, operator.preferences);
  return { ...state, viewer: keep(viewer, { ...viewer, ...operator, live, preferences }) };
}

/** The conversations whose visitor has changed, to be read again. */
export function listConversationsOf(state: DeskState, visitorId: string): string[] {
  return [...state.conversations.values()].filter(({ visitor }) => visitor?.id === visitorId).map(({ id }) => id);
}
