/**
 * What the desk knows, as one immutable value: read once, changed by `apply` with every event, shown by the views.
 * Names and shapes are those of the GraphQL schema, so that what is read needs no translation. Times are ISO strings.
 */
export interface DeskState {
  readonly connection: Connection;
  readonly viewer: Viewer;
  readonly account: DeskAccount;
  /** Of the last event that was applied. */
  readonly position: string;
  /** Offers to the viewer, their running conversations, those they closed today, and any other that they opened. */
  readonly conversations: ReadonlyMap<string, DeskConversation>;
  /** Waiting conversations that the viewer could take, oldest first. */
  readonly queue: Queue;
  /** Conversations that left the viewer by themselves, until the person has seen why. */
  readonly losses: readonly Loss[];
  readonly messagesLeftOpen: number;
  /** The position of the last event about messages left. A view that lists them reads again then. */
  readonly messagesLeftChange: string;
  /** By visitor: the position of the last `visitor.updated`. A view that shows more of a visitor reads it again then. */
  readonly visitorChanges: ReadonlyMap<string, string>;
  /** How many milliseconds the clock of this computer is ahead of the service's: see `server-time.ts`. */
  readonly clockOffset: number;
}

export type Connection =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** `since` is a time in milliseconds. What is written meanwhile is sent later. */
  | { readonly kind: 'lost'; readonly since: number };

export type Channel = 'CHAT' | 'CALL' | 'VIDEO';

export type BlockReason =
  | 'OFFLINE'
  | 'IN_GRACE'
  | 'NOT_ENABLED'
  | 'NOT_AVAILABLE'
  | 'SLOTS_FULL'
  | 'ON_CALL'
  | 'ON_VIDEO'
  | 'ON_CHAT';

export interface ChannelLive {
  readonly enabled: boolean;
  readonly available: boolean;
  readonly busy: boolean;
  readonly routable: boolean;
  readonly slotNumber: number;
  readonly slotMaxNumber: number;
  readonly blockedBy: readonly BlockReason[];
  /** Who last turned the channel on or off; null if that is not known. */
  readonly changedBy: Actor | null;
  readonly changedAt: string | null;
  /** Why the service did it: `missed_offers`. */
  readonly changedReason: string | null;
}

export interface Actor {
  readonly type: 'OPERATOR' | 'API_KEY' | 'VISITOR' | 'COMMAND_LINE' | 'SYSTEM';
  readonly id: string | null;
  readonly name: string | null;
}

export interface OperatorLive {
  readonly connected: boolean;
  readonly chat: ChannelLive;
  readonly call: ChannelLive;
  readonly video: ChannelLive;
  readonly pauseReason: string | null;
  /** Who took the viewer offline: they come back only by their own choice. */
  readonly takenOffline: { readonly by: Actor; readonly at: string; readonly reason: string | null } | null;
}

export interface Preferences {
  readonly theme: 'SYSTEM' | 'LIGHT' | 'DARK';
  readonly sound: boolean;
  readonly notifications: boolean;
  readonly singleKeyShortcuts: boolean;
  readonly density: 'COMFORTABLE' | 'COMPACT';
  readonly enterSends: boolean;
}

export interface Viewer {
  readonly id: string;
  readonly pseudo: string;
  readonly name: string | null;
  readonly firstName: string | null;
  /** Of the pages. */
  readonly languageAdmin: string | null;
  readonly role: 'EXPERT' | 'OPERATOR' | 'MANAGER' | 'ADMIN';
  /** Chats and a call at the same time. */
  readonly chatAndCall: boolean | null;
  readonly chatToVideo: boolean;
  readonly live: OperatorLive;
  readonly preferences: Preferences;
}

export interface DeskAccount {
  readonly autoAccept: boolean;
  readonly offerSeconds: number;
  readonly operatorsMayTake: boolean;
  readonly shareVisitorHistory: boolean;
  /** From when on a waiting time is shown as a warning. */
  readonly waitingWarningSeconds: number;
  readonly pauseReasons: readonly string[];
  /** Media types of files that the account accepts besides the usual ones. */
  readonly attachmentKinds: readonly string[];
  readonly attachmentMaxBytes: number;
}

export interface Named {
  readonly id: string;
  readonly name: string;
}

export interface Person {
  readonly id: string;
  readonly pseudo: string;
}

export type ConversationState = 'QUEUED' | 'OFFERED' | 'ACTIVE' | 'CLOSED';

export interface DeskConversation {
  readonly id: string;
  readonly channel: Channel;
  readonly state: ConversationState;
  readonly language: string;
  readonly website: { readonly id: string; readonly label: string } | null;
  readonly skill: Named | null;
  readonly group: Named | null;
  readonly operator: Person | null;
  readonly createdAt: string;
  readonly offerUntil: string | null;
  readonly acceptedAt: string | null;
  readonly closedAt: string | null;
  readonly closedBy: 'OPERATOR' | 'VISITOR' | 'API_KEY' | 'SYSTEM' | null;
  /** Null if it was not an operator, or one who does not exist any more. */
  readonly closedByOperator: Person | null;
  readonly closeReason: string | null;
  readonly visitor: DeskVisitor | null;
  readonly visitorPresent: boolean | null;
  readonly visitorLeftAt: string | null;
  readonly tags: readonly Named[];
  readonly messageCount: number;
  readonly unreadCount: number;
  readonly readByVisitorUpTo: number;
  readonly readByOperatorUpTo: number;
  /** Ascending, without gaps, up to `messageCount`; the first ones may not be loaded yet. */
  readonly messages: readonly Message[];
  readonly notes: readonly Note[];
  /** Written here and not acknowledged yet, in the order of writing. */
  readonly pending: readonly PendingMessage[];
  /** A time in milliseconds until which the visitor counts as typing. */
  readonly visitorTypingUntil: number;
  readonly satisfaction: Satisfaction | null;
  readonly escalatedFrom: { readonly id: string } | null;
}

export interface DeskVisitor {
  readonly id: string;
  readonly firstname: string;
  readonly lastname: string;
  readonly email: string;
}

export interface Message {
  readonly sequence: number;
  readonly clientId: string | null;
  readonly author: 'OPERATOR' | 'VISITOR' | 'NOTICE';
  readonly operator: Person | null;
  readonly text: string;
  readonly notice: {
    readonly code: string;
    readonly parameters: readonly { readonly name: string; readonly value: string }[];
  } | null;
  readonly attachments: readonly Attachment[];
  readonly at: string;
}

export interface Attachment {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly kind: string;
  readonly isImage: boolean;
  readonly width: number | null;
  readonly height: number | null;
  readonly url: string;
  readonly expiresAt: string;
}

export interface Note {
  readonly id: string;
  /** Null for the note of a transfer. */
  readonly clientId: string | null;
  /** Shown after the message with this sequence number. */
  readonly afterSequence: number;
  readonly operator: Person | null;
  readonly text: string;
  readonly at: string;
}

export interface PendingMessage {
  readonly kind: 'message' | 'note';
  readonly clientId: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly at: string;
  /**
   * Why the service refused it, as a code such as `state`, `text.too_long` or `FORBIDDEN`; null while it is being sent,
   * or waits for the connection.
   */
  readonly failure: string | null;
}

export interface Satisfaction {
  readonly noteWelcome: number;
  readonly noteResolution: number;
  readonly noteDelay: number;
  readonly comment: string;
}

export interface Queue {
  readonly totalCount: number;
  readonly conversations: readonly WaitingConversation[];
}

export type WaitingConversation = Pick<
  DeskConversation,
  'id' | 'channel' | 'createdAt' | 'language' | 'visitorPresent' | 'website' | 'skill' | 'visitor'
>;

export interface Loss {
  readonly conversationId: string;
  /** `timed_out`, `withdrawn`, `operator_lost`, `transfer`, … */
  readonly reason: string;
  readonly visitor: DeskVisitor | null;
  readonly at: string;
}
