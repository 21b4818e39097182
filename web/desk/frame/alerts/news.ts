import type { DeskConversation, DeskState, Message } from '../../state/model.ts';
import { selectMine, selectOffers } from '../../state/select-conversations.ts';

/** What an operator who does other things must learn of. */
export type News =
  | { readonly kind: 'offer'; readonly conversation: DeskConversation }
  /** Assigned without an offer: by the account's setting, or by a manager. */
  | { readonly kind: 'started'; readonly conversation: DeskConversation }
  | { readonly kind: 'message'; readonly conversation: DeskConversation; readonly message: Message };

/** What happened between two states, once for each conversation. */
export function findNews(before: DeskState, after: DeskState): News[] {
  if (before.conversations === after.conversations) return [];
  const offers = selectOffers(after)
    .filter(({ id }) => !isOwn(before, id, 'OFFERED'))
    .map((conversation): News => ({ kind: 'offer', conversation }));
  const mine = selectMine(after).flatMap((conversation): News[] => {
    const known = before.conversations.get(conversation.id);
    if (known === conversation) return [];
    if (hasStarted(before, conversation.id)) return [{ kind: 'started', conversation }];
    const message = conversation.messages.findLast(({ author }) => author === 'VISITOR');
    const isNew =
      known !== undefined && message !== undefined && message.sequence > (known.messages.at(-1)?.sequence ?? 0);
    return isNew ? [{ kind: 'message', conversation, message }] : [];
  });
  return [...offers, ...mine];
}

/**
 * The account's setting can have changed since the desk was read: it says too little. An accepted offer is no news, and
 * neither is what the operator took from those that wait.
 */
function hasStarted(before: DeskState, id: string): boolean {
  if (isOwn(before, id, 'ACTIVE') || isOwn(before, id, 'OFFERED')) return false;
  return before.account.autoAccept || !before.queue.conversations.some((waiting) => waiting.id === id);
}

function isOwn(state: DeskState, id: string, wanted: DeskConversation['state']): boolean {
  const known = state.conversations.get(id);
  return known !== undefined && known.state === wanted && known.operator?.id === state.viewer.id;
}
