import { applyEvent } from './apply-event.ts';
import { applyReading, mergeReadings, openReadings, refresh } from './apply-reading.ts';
import { applySignal } from './apply-signal.ts';
import type { DeskChange } from './change.ts';
import { changeConversation, keep, mergeMessages, mergeNotes, moveReadMarker } from './conversation.ts';
import type { DeskState, Queue } from './model.ts';
import { addPending, failPending, removeConfirmed, removePending } from './pending.ts';

/** Keeps the objects of those that wait as before. */
function applyQueue(known: Queue, received: Queue): Queue {
  const byId = new Map(known.conversations.map((each) => [each.id, each]));
  const conversations = received.conversations.map((each) => keep(byId.get(each.id) ?? each, each));
  return { totalCount: received.totalCount, conversations };
}

/** The state after a change. What did not change is the same object as before, so that little is drawn again. */
export function apply(state: DeskState, change: DeskChange): DeskState {
  switch (change.type) {
    case 'read':
      return applyReading(state, change.reading);
    case 'refreshed':
      return refresh(state, change.reading);
    case 'conversationsRead':
      return (change.isOpened ? openReadings : mergeReadings)(state, change.position, change.conversations);
    case 'messagesRead':
      return changeConversation(state, change.conversationId, (known) =>
        removeConfirmed(mergeMessages(known, change.messages)),
      );
    case 'noteAdded':
      return changeConversation(state, change.conversationId, (known) =>
        removeConfirmed(mergeNotes(known, [change.note])),
      );
    case 'event':
      return applyEvent(state, change.event, change.isExpected);
    case 'signal':
      return applySignal(state, change.signal, change.now);
    case 'queue':
      return { ...state, queue: applyQueue(state.queue, change.queue) };
    case 'connection':
      return { ...state, connection: change.connection };
    case 'clock':
      return state.clockOffset === change.clockOffset ? state : { ...state, clockOffset: change.clockOffset };
    case 'messagesLeftCounted':
      return state.messagesLeftOpen === change.open ? state : { ...state, messagesLeftOpen: change.open };
    case 'accountRead':
      return { ...state, account: keep(state.account, change.account) };
    case 'preferences':
      return { ...state, viewer: { ...state.viewer, preferences: change.preferences } };
    case 'pendingAdded':
      return changeConversation(state, change.conversationId, (known) => addPending(known, change.message));
    case 'pendingFailed':
      return changeConversation(state, change.conversationId, (known) =>
        failPending(known, change.clientId, change.failure),
      );
    case 'pendingRemoved':
      return changeConversation(state, change.conversationId, (known) => removePending(known, change.clientId));
    case 'seen':
      return changeConversation(state, change.conversationId, (known) => moveReadMarker(known, change.upTo));
    case 'lossForgotten':
      return {
        ...state,
        losses: state.losses.filter(({ conversationId }) => conversationId !== change.conversationId),
      };
  }
}
