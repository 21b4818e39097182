import { runMutation } from '../../shared/api/mutation.ts';
import { type Answer, fail, succeed } from '../../shared/api/request.ts';
import type { DeskActions } from '../desk.ts';
import type { DeskStore } from '../state/store.ts';
import {
  ACCEPT,
  CLOSE,
  CONNECT,
  createCloseVariables,
  DECLINE,
  SET_AVAILABILITY,
  SET_PREFERENCES,
  SET_TAGS,
  TAKE,
  TRANSFER,
} from './mutations.ts';
import type { Outbox } from './outbox.ts';
import { readConversation, readMessages } from './read-desk.ts';
import type { ReadMarkers } from './read-markers.ts';
import { createTyping } from './typing.ts';

const EARLIER_MESSAGES = 50;

export interface ActionParts {
  readonly store: DeskStore;
  readonly outbox: Outbox;
  readonly markers: ReadMarkers;
  /** Conversations that the operator is giving away, until the event that says so. */
  readonly departures: Set<string>;
  readonly upload: DeskActions['upload'];
  onLoggedOut(): void;
}

/** What changes a conversation is shown when its event comes, not before: nothing is shown that is not so. */
export function createActions({ store, outbox, markers, departures, upload, onLoggedOut }: ActionParts): DeskActions {
  const check = async <Value>(pending: Promise<Answer<Value>>): Promise<Answer<Value>> => {
    const answer = await pending;
    if (!answer.ok && answer.failure.kind === 'loggedOut') onLoggedOut();
    return answer;
  };
  const type = createTyping(() => store.getState().connection.kind === 'live');
  return {
    acceptOffer: (conversationId) => check(runMutation(ACCEPT, { input: { conversationId } })),
    declineOffer: (conversationId) => check(runMutation(DECLINE, { input: { conversationId } })),
    take: (id) => check(runMutation(TAKE, { input: { id, operatorId: store.getState().viewer.id } })),
    sendMessage: (id, text, attachments) => void outbox.add(id, 'message', text, attachments),
    addNote: (id, text) => void outbox.add(id, 'note', text),
    resend: (id, clientId) => outbox.resend(id, clientId),
    discard: (id, clientId) => outbox.discard(id, clientId),
    type,
    markRead: (id, upTo) => markers.mark(id, upTo),
    open: (id) => check(openConversation(store, id)),
    loadEarlier: (id) => check(loadEarlier(store, id)),
    upload: (id, file, options) => check(upload(id, file, options)),
    async transfer(id, target, note) {
      const settled = await outbox.settle(id);
      if (!settled.ok) return settled;
      departures.add(id);
      const answer = await check(
        runMutation(TRANSFER, { input: { id, ...target, ...(note.trim() !== '' && { note }) } }),
      );
      if (!answer.ok) departures.delete(id);
      return answer;
    },
    setTags: (id, tagIds) => check(runMutation(SET_TAGS, { input: { id, tagIds: [...tagIds] } })),
    async close(id, closingLine) {
      const settled = await outbox.settle(id);
      return settled.ok ? check(runMutation(CLOSE, createCloseVariables(id, closingLine))) : settled;
    },
    setAvailability: (channels, pauseReason) =>
      check(runMutation(SET_AVAILABILITY, { input: { ...channels, ...(pauseReason && { pauseReason }) } })),
    connect: () => check(runMutation(CONNECT, { input: {} })),
    async updatePreferences(changes) {
      const answer = await check(runMutation(SET_PREFERENCES, { input: changes }));
      const stored = answer.ok ? answer.value.preferences : null;
      if (stored) store.dispatchNow({ type: 'preferences', preferences: stored });
      return answer;
    },
    forgetLoss: (conversationId) => store.dispatchNow({ type: 'lossForgotten', conversationId }),
  };
}

async function openConversation(store: DeskStore, id: string): Promise<Answer<unknown>> {
  const answer = await readConversation(id);
  if (!answer.ok) return answer;
  const { position, conversations } = answer.value;
  if (conversations.length === 0)
    return fail({ kind: 'refused', code: 'id.unknown_id', description: 'There is no such conversation.' });
  store.dispatchNow({ type: 'conversationsRead', isOpened: true, position, conversations });
  return succeed(undefined);
}

async function loadEarlier(store: DeskStore, id: string): Promise<Answer<unknown>> {
  const [first] = store.getState().conversations.get(id)?.messages ?? [];
  if (first === undefined || first.sequence === 1) return succeed(undefined);
  const after = Math.max(0, first.sequence - 1 - EARLIER_MESSAGES);
  const answer = await readMessages(id, after, first.sequence - 1 - after);
  if (!answer.ok) return answer;
  store.dispatchNow({ type: 'messagesRead', conversationId: id, messages: answer.value });
  return succeed(undefined);
}
