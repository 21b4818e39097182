import type { Chat } from '../chat.ts';
import type { ConversationChange } from './apply.ts';
import type { Session } from './service/session.ts';

/** What the pieces of a conversation work with. */
export interface Context {
  readonly chat: Chat;
  readonly session: Session;
  /** Changes the state. */
  apply(change: ConversationChange): void;
  ask<Data>(query: string, variables: Readonly<Record<string, unknown>>): Promise<Data>;
}
