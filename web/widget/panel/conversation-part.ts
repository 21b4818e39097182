import type { FunctionComponent } from 'preact';
import type { View } from './state/view.ts';

export interface NewConversation {
  /** The same one for another attempt. */
  readonly clientId: string;
  readonly text: string;
  readonly details?: Readonly<Record<string, string>>;
}

/** What the panel loads when a conversation starts or goes on: the connection, the messages, the files, the survey. */
export interface ConversationPart {
  start(conversation: NewConversation): Promise<void>;
  leaveMessage(message: Readonly<Record<string, string>>): Promise<void>;
  /** The stored values were changed by another tab. */
  followStored(): void;
  /** Sends the messages that wait. */
  flush(): void;
  /** Sends the draft with the files above it. */
  send(): void;
  addFiles(files: Iterable<File>): void;
  noteTyping(): void;
  /** The page has said who the visitor is, or given other fields. */
  notePage(): void;
  destroy(): void;
  /** The conversation is over for this browser. */
  forget(): void;
  /** What is shown instead of, and above, the field. */
  readonly View: FunctionComponent<{ readonly view: View }>;
  readonly Menu: FunctionComponent;
  readonly Dialog: FunctionComponent;
}
