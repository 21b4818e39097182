import type { WidgetSettings } from '../../settings.ts';

export interface Attachment {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly isImage: boolean;
  readonly width: number | null;
  readonly height: number | null;
  /** Relative to the service. */
  readonly url: string;
  readonly expiresAt: string;
}

export interface Message {
  readonly sequence: number;
  readonly at: string;
  readonly author: 'VISITOR' | 'OPERATOR' | 'NOTICE';
  readonly text: string;
  readonly clientId: string | null;
  readonly operator: { readonly pseudo: string } | null;
  readonly attachments: readonly Attachment[];
}

/** A message of the visitor that the service has not confirmed yet. */
export interface Outgoing {
  readonly clientId: string;
  readonly text: string;
  readonly at: number;
  readonly files: readonly { readonly id: string; readonly name: string; readonly size: number }[];
  /** Why it was not sent: `network` is tried again with the next connection. */
  readonly failure?: 'network' | 'refused' | undefined;
}

export interface Conversation {
  readonly id: string;
  readonly state: 'QUEUED' | 'OFFERED' | 'ACTIVE' | 'CLOSED';
  readonly queuePosition: number | null;
  readonly estimatedWaitSeconds: number | null;
  readonly acceptedAt: string | null;
  readonly closeReason: 'IDLE' | 'NOBODY_COULD_SERVE' | 'VISITOR_LEFT' | null;
  readonly closedBy: 'OPERATOR' | 'SYSTEM' | 'VISITOR' | null;
  readonly operator: { readonly pseudo: string } | null;
  readonly readByOperatorUpTo: number;
  readonly readByVisitorUpTo: number;
  readonly satisfaction: { readonly at: string } | null;
}

/** A conversation with messages that are new. */
export interface ReadConversation extends Conversation {
  readonly messages: readonly Message[];
}

export interface Upload {
  readonly key: string;
  readonly name: string;
  readonly size: number;
  readonly isImage: boolean;
  readonly sent: number;
  /** The identifier of the stored file. */
  readonly id?: string;
  /** Why it failed, in words. */
  readonly problem?: string;
}

/** What the panel shows without a conversation, or after one. `auto` depends on what is on offer. */
export type Page = 'auto' | 'form' | 'leave' | 'left' | 'survey' | 'thanks';

export interface State {
  readonly settings: WidgetSettings;
  readonly isOpen: boolean;
  readonly page: Page;
  /** Whether a stored conversation is being read. */
  readonly isLoading: boolean;
  readonly isBusy: boolean;
  /** What went wrong with the last action, in words. */
  readonly problem: string;
  readonly conversation: Conversation | undefined;
  readonly messages: readonly Message[];
  readonly outbox: readonly Outgoing[];
  readonly uploads: readonly Upload[];
  readonly draft: string;
  /** The message is sent when the uploads are complete. */
  readonly sendsAfterUploads: boolean;
  /** The name of the operator who is typing. */
  readonly typing: string | undefined;
  readonly isReconnecting: boolean;
  /** Whether the visitor is asked to confirm the end. */
  readonly isEnding: boolean;
}

export function createState(settings: WidgetSettings): State {
  return {
    ...{ settings, isOpen: false, page: 'auto', isLoading: false, isBusy: false, problem: '' },
    ...{ conversation: undefined, messages: [], outbox: [], uploads: [], draft: '', sendsAfterUploads: false },
    ...{ typing: undefined, isReconnecting: false, isEnding: false },
  };
}
