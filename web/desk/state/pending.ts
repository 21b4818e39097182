import type { DeskConversation, PendingMessage } from './model.ts';

export function addPending(known: DeskConversation, message: PendingMessage): DeskConversation {
  if (known.pending.some(({ clientId }) => clientId === message.clientId)) return known;
  const added = removeConfirmed({ ...known, pending: [...known.pending, message] });
  return added.pending.length > known.pending.length ? added : known;
}

/** Null: it is sent again. */
export function failPending(known: DeskConversation, clientId: string, failure: string | null): DeskConversation {
  const hasChanged = known.pending.some((each) => each.clientId === clientId && each.failure !== failure);
  if (!hasChanged) return known;
  const pending = known.pending.map((each) => (each.clientId === clientId ? { ...each, failure } : each));
  return { ...known, pending };
}

export function removePending(known: DeskConversation, clientId: string): DeskConversation {
  return keepPending(known, (each) => each.clientId !== clientId);
}

/** What the service has stored is no longer pending, whether its answer or its event is the first to say so. */
export function removeConfirmed(known: DeskConversation): DeskConversation {
  if (known.pending.length === 0) return known;
  const confirmed = {
    message: new Set(known.messages.map(({ clientId }) => clientId)),
    note: new Set(known.notes.map(({ clientId }) => clientId)),
  };
  return keepPending(known, ({ kind, clientId }) => !confirmed[kind].has(clientId));
}

function keepPending(known: DeskConversation, isKept: (message: PendingMessage) => boolean): DeskConversation {
  const pending = known.pending.filter(isKept);
  return pending.length === known.pending.length ? known : { ...known, pending };
}
