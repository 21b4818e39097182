import type { ConversationReading, DeskReading } from './change.ts';
import {
  changeConversation,
  createConversation,
  keep,
  mergeMessages,
  mergeNotes,
  replaceFields,
} from './conversation.ts';
import type { DeskConversation, DeskState } from './model.ts';
import { removeConfirmed } from './pending.ts';
import { comparePositions } from './position.ts';

export function createDeskState(reading: DeskReading): DeskState {
  const { position, viewer, account, messagesLeftOpen, conversations } = reading;
  return {
    ...{ position, viewer, account, messagesLeftOpen },
    messagesLeftChange: position,
    connection: { kind: 'connecting' },
    conversations: new Map(conversations.map((each) => [each.id, createConversation(each)])),
    queue: { totalCount: 0, conversations: [] },
    losses: [],
    visitorChanges: new Map(),
    clockOffset: 0,
  };
}

/**
 * Everything was read anew, because the events between were missed. Closed conversations stay: those that the operator
 * has opened are not in the reading.
 */
export function applyReading(state: DeskState, reading: DeskReading): DeskState {
  const read = new Set(reading.conversations.map(({ id }) => id));
  const kept = [...state.conversations].filter(([id, { state }]) => read.has(id) || state === 'CLOSED');
  const { position } = reading;
  const base = { ...state, position, messagesLeftChange: position, conversations: new Map(kept) };
  return applyFields(openReadings(base, position, reading.conversations), reading);
}

/** After a reconnection the events tell what is new; the reading has what they do not tell. */
export function refresh(state: DeskState, reading: DeskReading): DeskState {
  const { position, conversations } = reading;
  if (!isCurrent(state, position)) return mergeReadings(state, position, conversations);
  return applyFields(openReadings(state, position, conversations), reading);
}

/** Adds those that are not known. */
export function openReadings(state: DeskState, position: string, readings: readonly ConversationReading[]): DeskState {
  const added = readings.filter(({ id }) => !state.conversations.has(id));
  const conversations = new Map(state.conversations);
  for (const reading of added) conversations.set(reading.id, createConversation(reading));
  return mergeReadings(added.length === 0 ? state : { ...state, conversations }, position, readings);
}

/**
 * An answer may be older than events that have come before it. Then it adds only what cannot become outdated. Those that
 * the viewer has lost meanwhile are left out.
 */
export function mergeReadings(state: DeskState, position: string, readings: readonly ConversationReading[]): DeskState {
  const isNewer = isCurrent(state, position);
  return readings.reduce(
    (present, reading) => changeConversation(present, reading.id, (known) => mergeReading(known, reading, isNewer)),
    state,
  );
}

function mergeReading(known: DeskConversation, reading: ConversationReading, isNewer: boolean): DeskConversation {
  const { messages, notes, ...fields } = reading;
  const { readByVisitorUpTo, readByOperatorUpTo, messageCount } = fields;
  const before = isNewer ? fields : { ...toFields(known), readByVisitorUpTo, readByOperatorUpTo, messageCount };
  const changed = replaceFields(known, before);
  return removeConfirmed(mergeNotes(mergeMessages(changed, messages ?? []), notes ?? []));
}

function toFields({ messages, notes, pending, visitorTypingUntil, ...fields }: DeskConversation) {
  return fields;
}

function isCurrent(state: DeskState, position: string): boolean {
  return comparePositions(position, state.position) >= 0;
}

function applyFields(state: DeskState, { viewer, account, messagesLeftOpen }: DeskReading): DeskState {
  return {
    ...{ ...state, messagesLeftOpen },
    viewer: keep(state.viewer, { ...viewer, live: keep(state.viewer.live, viewer.live) }),
    account: keep(state.account, account),
  };
}
