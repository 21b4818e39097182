import type { DeskConversation, Message } from '../state/model.ts';

/** The second line of a row. */
export type Preview =
  | { readonly kind: 'typing' | 'left' | 'new' }
  | { readonly kind: 'own' | 'visitor'; readonly text: string; readonly attachment: string | null };

export function findPreview(conversation: DeskConversation, now: number): Preview {
  const { state, visitorTypingUntil, visitorLeftAt, visitorPresent, pending } = conversation;
  if (state === 'ACTIVE' && visitorTypingUntil > now) return { kind: 'typing' };
  const written = pending.findLast(({ kind }) => kind === 'message') ?? findLastWritten(conversation);
  if (state === 'ACTIVE' && visitorLeftAt !== null && visitorPresent !== true) return { kind: 'left' };
  if (written === undefined) return { kind: 'new' };
  const isVisitor = 'author' in written && written.author === 'VISITOR';
  return {
    kind: isVisitor ? 'visitor' : 'own',
    text: written.text,
    attachment: written.attachments[0]?.name ?? null,
  };
}

/** When something was last said, or else when it began. */
export function findLastTime(conversation: DeskConversation): string {
  return (
    conversation.closedAt ?? findLastWritten(conversation)?.at ?? conversation.acceptedAt ?? conversation.createdAt
  );
}

/** Since when the visitor has been waiting for an answer; null when it is the visitor's turn. */
export function findUnansweredSince({ state, messages, pending }: DeskConversation): string | null {
  if (state !== 'ACTIVE' || pending.some(({ kind, failure }) => kind === 'message' && failure === null)) return null;
  const answered = messages.findLastIndex(({ author }) => author === 'OPERATOR');
  return messages.slice(answered + 1).find(({ author }) => author === 'VISITOR')?.at ?? null;
}

function findLastWritten({ messages }: DeskConversation): Message | undefined {
  return messages.findLast(({ author }) => author !== 'NOTICE');
}
