import { findOffer } from '../../settings.ts';
import type { State } from './state.ts';

/** `loading` to `greeting` need no conversation; the others come with its part. */
export type View = 'loading' | 'form' | 'leave' | 'greeting' | 'chat' | 'left' | 'survey' | 'thanks';

/** What the panel shows. */
export function chooseView({ conversation, page, settings, isLoading, outbox }: State): View {
  if (conversation) return page === 'survey' || page === 'thanks' ? page : 'chat';
  if (outbox.length > 0) return 'chat'; // the first message is on its way
  if (isLoading) return 'loading';
  if (page === 'leave' || page === 'left') return page;
  if (page === 'auto' && !['chat', 'queue'].includes(findOffer(settings))) return 'leave';
  return Object.values(settings.preChat).some((mode) => mode !== 'OFF') ? 'form' : 'greeting';
}

/** Files belong to a conversation, so there is none to attach to before it starts. */
export function canAttach({ conversation, settings }: State): boolean {
  return settings.attachments && conversation !== undefined && conversation.state !== 'CLOSED';
}

/** The survey can be answered once, if an operator accepted the conversation. */
export function canAnswerSurvey({ conversation, settings, page }: State): boolean {
  const isOver = conversation?.state === 'CLOSED' && conversation.acceptedAt !== null;
  return settings.survey && isOver && !conversation.satisfaction && page !== 'thanks';
}
