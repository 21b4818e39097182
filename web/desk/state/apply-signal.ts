import type { Signal } from './change.ts';
import { changeConversation, moveReadMarker } from './conversation.ts';
import type { DeskState } from './model.ts';

/** Signals of someone who types come at most once per second; without a further one they have stopped. */
const TYPING_MS = 4000;

export function applySignal(state: DeskState, signal: Signal, now: number): DeskState {
  const { kind, author, upTo, at } = signal;
  return changeConversation(state, signal.conversationId, (known) => {
    switch (kind) {
      case 'TYPING':
        return author === 'VISITOR' ? { ...known, visitorTypingUntil: now + TYPING_MS } : known;
      case 'READ':
        if (upTo === null) return known;
        if (author === 'OPERATOR') return moveReadMarker(known, upTo);
        return upTo > known.readByVisitorUpTo ? { ...known, readByVisitorUpTo: upTo } : known;
      case 'VISITOR_LEFT':
        return { ...known, visitorPresent: false, visitorLeftAt: at, visitorTypingUntil: 0 };
      case 'VISITOR_BACK':
        return { ...known, visitorPresent: true, visitorLeftAt: null };
      default:
        return known;
    }
  });
}
