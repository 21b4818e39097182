import type {
  Connection,
  DeskAccount,
  DeskConversation,
  Message,
  Note,
  PendingMessage,
  Preferences,
  Queue,
  Viewer,
} from './model.ts';

/** What the service tells of a conversation; the rest is known only to the page. */
export type ConversationFields = Omit<DeskConversation, 'messages' | 'notes' | 'pending' | 'visitorTypingUntil'>;

/** A conversation as it was read. Without messages and notes, those that are known stay. */
export interface ConversationReading extends ConversationFields {
  /** The newest ones, or all after the last one that is known. */
  readonly messages?: readonly Message[];
  readonly notes?: readonly Note[];
}

/** Everything that a desk shows at first, read at once. What it shows is at least as new as `position`. */
export interface DeskReading {
  readonly position: string;
  readonly viewer: Viewer;
  readonly account: DeskAccount;
  readonly messagesLeftOpen: number;
  readonly conversations: readonly ConversationReading[];
}

/** An event of `deskEvents`. Its objects have their current state, which may be newer than the event. */
export interface DeskEvent {
  readonly position: string;
  readonly type: string;
  readonly at: string;
  readonly reason: string | null;
  readonly conversationId: string | null;
  readonly conversation: ConversationFields | null;
  readonly message: Message | null;
  readonly note: Note | null;
  readonly visitorId: string | null;
  readonly operator: OperatorFields | null;
}

/** What an event tells of the viewer. */
export type OperatorFields = Pick<Viewer, 'id' | 'pseudo' | 'languageAdmin' | 'chatAndCall' | 'live' | 'preferences'>;

/** Of `signals`: not stored, and lost while there is no connection. */
export interface Signal {
  readonly kind: string;
  readonly conversationId: string;
  readonly author: 'OPERATOR' | 'VISITOR';
  readonly upTo: number | null;
  readonly at: string;
}

/** Everything that can happen to the state of a desk. */
export type DeskChange =
  | { readonly type: 'read'; readonly reading: DeskReading }
  /** The same after a reconnection: the events tell what changed, the reading what has no events, such as markers. */
  | { readonly type: 'refreshed'; readonly reading: DeskReading }
  /** Some conversations were read, at a position. `isOpened`: the operator asked for them, so they are added. */
  | {
      readonly type: 'conversationsRead';
      readonly isOpened: boolean;
      readonly position: string;
      readonly conversations: readonly ConversationReading[];
    }
  /** A part of the messages of a conversation was read, or one of them was sent. */
  | { readonly type: 'messagesRead'; readonly conversationId: string; readonly messages: readonly Message[] }
  | { readonly type: 'noteAdded'; readonly conversationId: string; readonly note: Note }
  /** `isExpected`: the operator gives the conversation away here, which is no loss. */
  | { readonly type: 'event'; readonly event: DeskEvent; readonly isExpected: boolean }
  | { readonly type: 'signal'; readonly signal: Signal; readonly now: number }
  | { readonly type: 'queue'; readonly queue: Queue }
  | { readonly type: 'connection'; readonly connection: Connection }
  | { readonly type: 'clock'; readonly clockOffset: number }
  | { readonly type: 'messagesLeftCounted'; readonly open: number }
  | { readonly type: 'accountRead'; readonly account: DeskAccount }
  | { readonly type: 'preferences'; readonly preferences: Preferences }
  /** Written here. */
  | { readonly type: 'pendingAdded'; readonly conversationId: string; readonly message: PendingMessage }
  | {
      readonly type: 'pendingFailed';
      readonly conversationId: string;
      readonly clientId: string;
      readonly failure: string | null;
    }
  | { readonly type: 'pendingRemoved'; readonly conversationId: string; readonly clientId: string }
  /** The operator has seen the messages up to this one. */
  | { readonly type: 'seen'; readonly conversationId: string; readonly upTo: number }
  | { readonly type: 'lossForgotten'; readonly conversationId: string };
