import { en } from '../../../src/core/directory/widget-texts/en.ts';
import type { Conversation, Message, Outgoing, State } from '../../../web/widget/panel/state/state.ts';
import { createState } from '../../../web/widget/panel/state/state.ts';
import type { WidgetSettings } from '../../../web/widget/settings.ts';

export function createSettings(changes: Partial<WidgetSettings> = {}): WidgetSettings {
  return {
    ...{ accountId: '1', websiteId: '1', language: 'en', isOpen: true, opensAt: null, timezone: 'UTC' },
    ...{ channels: [{ channel: 'CHAT', isAvailable: true }], whenUnavailable: 'LEAVE_MESSAGE' },
    ...{ accentColor: '#0f766e', accentTextColor: '#ffffff', position: 'BOTTOM_RIGHT' },
    preChat: { name: 'OFF', email: 'OFF', question: 'OFF', consent: 'OFF' },
    ...{ survey: true, attachments: true, maxAttachmentBytes: 1e7, openingHours: null, texts: en },
    ...changes,
  };
}

export function createConversation(changes: Partial<Conversation> = {}): Conversation {
  return {
    ...{ id: '1', state: 'ACTIVE', queuePosition: null, estimatedWaitSeconds: null, acceptedAt: null },
    ...{ closeReason: null, closedBy: null, operator: null, readByOperatorUpTo: 0, readByVisitorUpTo: 0 },
    satisfaction: null,
    ...changes,
  };
}

export function createOpenState(changes: Partial<State> = {}): State {
  return { ...createState(createSettings()), conversation: createConversation(), ...changes };
}

export function createMessage(sequence: number, changes: Partial<Message> = {}): Message {
  return {
    ...{ sequence, at: '2026-01-02T10:00:00.000Z', author: 'OPERATOR', text: `text ${sequence}`, clientId: null },
    ...{ operator: null, attachments: [] },
    ...changes,
  };
}

export function createOutgoing(clientId: string, text = 'text'): Outgoing {
  return { clientId, text, at: Date.parse('2026-01-02T10:05:00Z'), files: [] };
}
