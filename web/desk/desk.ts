import type { Answer } from '../shared/api/request.ts';
import type { Attachment, Channel, DeskState, Preferences } from './state/model.ts';

/** The state of the desk and everything that an operator does with it. The views know nothing else of the service. */
export interface Desk {
  getState(): DeskState;
  subscribe(listener: () => void): () => void;
  readonly actions: DeskActions;
}

/** An `Answer` that is not `ok` has a failure that the view shows; nothing that was typed is lost. */
export interface DeskActions {
  acceptOffer(conversationId: string): Promise<Answer<unknown>>;
  declineOffer(conversationId: string): Promise<Answer<unknown>>;
  /** Takes a waiting conversation. */
  take(conversationId: string): Promise<Answer<unknown>>;
  /** Shown at once as pending, sent when there is a connection, sent again with the same identifier. */
  sendMessage(conversationId: string, text: string, attachments?: readonly Attachment[]): void;
  addNote(conversationId: string, text: string): void;
  /** After a failure. */
  resend(conversationId: string, clientId: string): void;
  discard(conversationId: string, clientId: string): void;
  /** The operator types; may be called at every key. */
  type(conversationId: string): void;
  /** The operator has seen the messages up to this one. */
  markRead(conversationId: string, upTo: number): void;
  /** Loads a conversation that the desk does not have yet, such as an earlier one. */
  open(conversationId: string): Promise<Answer<unknown>>;
  /** Loads the messages before the first one that is there. */
  loadEarlier(conversationId: string): Promise<Answer<unknown>>;
  upload(
    conversationId: string,
    file: File,
    options: { readonly onProgress: (share: number) => void; readonly signal: AbortSignal },
  ): Promise<Answer<Attachment>>;
  transfer(
    conversationId: string,
    target: { readonly operatorId?: string; readonly groupId?: string; readonly skillId?: string },
    note: string,
  ): Promise<Answer<unknown>>;
  setTags(conversationId: string, tagIds: readonly string[]): Promise<Answer<unknown>>;
  /** With the closing line as its last message, if there is one: both, or neither of them. */
  close(conversationId: string, closingLine: string): Promise<Answer<unknown>>;
  setAvailability(
    channels: Readonly<Partial<Record<Lowercase<Channel>, boolean>>>,
    pauseReason?: string,
  ): Promise<Answer<unknown>>;
  /** Back to work after someone else took the operator offline. */
  connect(): Promise<Answer<unknown>>;
  updatePreferences(preferences: Partial<Preferences>): Promise<Answer<unknown>>;
  forgetLoss(conversationId: string): void;
}
