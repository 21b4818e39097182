import { createDeskState } from '../../../web/desk/state/apply-reading.ts';
import type {
  ConversationFields,
  ConversationReading,
  DeskEvent,
  DeskReading,
} from '../../../web/desk/state/change.ts';
import type { ChannelLive, DeskState, Message, Note, PendingMessage, Viewer } from '../../../web/desk/state/model.ts';

const CHANNEL: ChannelLive = {
  ...{ enabled: true, available: true, busy: false, routable: true },
  ...{ slotNumber: 0, slotMaxNumber: 4, blockedBy: [] },
  ...{ changedBy: null, changedAt: null, changedReason: null },
};

export const VIEWER: Viewer = {
  ...{ id: '7', pseudo: 'Ada', name: 'Marin', firstName: 'Ada', role: 'OPERATOR' },
  ...{ languageAdmin: 'en', chatAndCall: false, chatToVideo: false },
  live: { connected: true, chat: CHANNEL, call: CHANNEL, video: CHANNEL, pauseReason: null, takenOffline: null },
  preferences: {
    ...{ theme: 'SYSTEM', sound: true, notifications: true, singleKeyShortcuts: true },
    ...{ density: 'COMFORTABLE', enterSends: true },
  },
};

export const START = Date.parse('2026-03-02T09:00:00.000Z');

export function toTime(minutes: number): string {
  return new Date(START + minutes * 60_000).toISOString();
}

export function createFields(id: string, changes: Partial<ConversationFields> = {}): ConversationFields {
  return {
    ...{ id, channel: 'CHAT', state: 'ACTIVE', language: 'en', website: { id: '1', label: 'Shop' } },
    ...{ skill: null, group: null, operator: { id: VIEWER.id, pseudo: VIEWER.pseudo }, createdAt: toTime(0) },
    ...{
      offerUntil: null,
      acceptedAt: toTime(1),
      closedAt: null,
      closedBy: null,
      closedByOperator: null,
      closeReason: null,
    },
    visitor: { id: `v${id}`, firstname: 'Visitor', lastname: id, email: '' },
    ...{ visitorPresent: true, visitorLeftAt: null, tags: [], messageCount: 0, unreadCount: 0 },
    ...{ readByVisitorUpTo: 0, readByOperatorUpTo: 0, satisfaction: null, escalatedFrom: null },
    ...changes,
  };
}

export function createMessage(sequence: number, changes: Partial<Message> = {}): Message {
  return {
    ...{ sequence, clientId: null, author: 'VISITOR', operator: null, text: `Message ${sequence}`, notice: null },
    ...{ attachments: [], at: toTime(sequence) },
    ...changes,
  };
}

export function createNote(id: string, changes: Partial<Note> = {}): Note {
  return {
    ...{ id, clientId: `n-${id}`, afterSequence: 0, operator: null, text: `Note ${id}`, at: toTime(0) },
    ...changes,
  };
}

export function createPending(clientId: string, changes: Partial<PendingMessage> = {}): PendingMessage {
  return { kind: 'message', clientId, text: clientId, attachments: [], at: toTime(0), failure: null, ...changes };
}

export function createReading(conversations: readonly ConversationReading[], position = '0'): DeskReading {
  return {
    position,
    viewer: VIEWER,
    account: {
      ...{ autoAccept: false, offerSeconds: 30, operatorsMayTake: false, shareVisitorHistory: true },
      ...{ waitingWarningSeconds: 60, pauseReasons: [], attachmentKinds: [], attachmentMaxBytes: 10_000_000 },
    },
    messagesLeftOpen: 0,
    conversations,
  };
}

export function createState(conversations: readonly ConversationReading[] = [], position = '0'): DeskState {
  return createDeskState(createReading(conversations, position));
}

export function createEvent(position: number, type: string, changes: Partial<DeskEvent> = {}): DeskEvent {
  return {
    ...{ position: String(position), type, at: toTime(position), reason: null, conversationId: null },
    ...{ conversation: null, message: null, note: null, visitorId: null, operator: null },
    ...changes,
  };
}
