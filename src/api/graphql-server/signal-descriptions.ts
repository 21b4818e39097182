import type { Signal, SignalKind } from '../../core/signals/signal.ts';

export const SIGNAL_KIND_DESCRIPTIONS: Readonly<Record<SignalKind, string>> = {
  typing: 'The author is typing. Show it for a few seconds, or until their message arrives.',
  read: 'The author has read the messages up to `upTo`.',
  visitor_left: "The visitor's page is gone.",
  visitor_back: "The visitor's page is back.",
};

export const SIGNAL_AUTHOR_DESCRIPTIONS: Readonly<Record<Signal['author'], string>> = {
  visitor: 'The visitor.',
  operator: 'The operator who handles the conversation.',
};
