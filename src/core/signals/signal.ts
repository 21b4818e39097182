export type SignalKind = 'typing' | 'read' | 'visitor_left' | 'visitor_back';

/** Something that happens in a conversation right now. It is sent to those who listen, and stored nowhere. */
export interface Signal {
  readonly kind: SignalKind;
  readonly conversationId: number;
  /** The side that it comes from. An operator is the one in `operatorId`. */
  readonly author: 'visitor' | 'operator';
  /** The operator who had the conversation when the signal was sent: later operators do not receive it. */
  readonly operatorId: number | null;
  /** The last message that was read, for `read`. */
  readonly upTo: number | null;
  readonly at: number;
}

/** The conversation of a signal, as it is now. */
export interface SignalConversation {
  readonly accountId: number;
  readonly id: number;
  readonly operatorId: number | null;
}

export type NewSignal = Pick<Signal, 'kind' | 'author'> & Partial<Pick<Signal, 'upTo'>>;
