import { followLanguage, type HeardConversation, type HeardMessage, isGoodbye } from './heard.ts';
import { composeReply } from './replies.ts';
import { DICTIONARIES } from './topics.ts';

/** How fast the played people are. Times in milliseconds. */
export interface Pace {
  /** From an offer to its acceptance. */
  readonly acceptMs: number;
  /** From the last message of the visitor to the first key. */
  readonly readMs: number;
  readonly typeMsPerCharacter: number;
  readonly minTypeMs: number;
  readonly maxTypeMs: number;
  /** From their last message until they ask whether a silent visitor is still there, and then say goodbye. */
  readonly silenceMs: number;
  /** From their goodbye to the close. */
  readonly closeMs: number;
}

/** Answers within a few seconds. */
export const HUMAN_PACE: Pace = {
  acceptMs: 1200,
  readMs: 900,
  typeMsPerCharacter: 30,
  minTypeMs: 1200,
  maxTypeMs: 5000,
  silenceMs: 120_000,
  closeMs: 4000,
};

export type NextStep =
  | { readonly kind: 'say'; readonly text: string; readonly typeAt: number; readonly sendAt: number }
  | { readonly kind: 'close'; readonly at: number };

/**
 * Returns what a played person does next unless the visitor writes first. It depends on the messages alone, so that it
 * is the same after a restart.
 */
export function planNext(conversation: HeardConversation, pace: Pace): NextStep {
  const { messages, startedAt } = conversation;
  const lastWritten = messages.findLastIndex(({ author }) => author !== 'visitor');
  const unanswered = messages.slice(lastWritten + 1);
  const own = findOwnLastMessages(messages);
  const [last] = own;
  const lines = DICTIONARIES[followLanguage(conversation)];
  if (unanswered.length > 0 || last === undefined) {
    const since = Math.max(startedAt, ...unanswered.map(({ at }) => at));
    return say(composeReply(conversation, unanswered, lines), since + pace.readMs, pace);
  }
  if (own.length > 2 || hasSaidGoodbye(conversation, messages.length - own.length))
    return { kind: 'close', at: last.at + pace.closeMs };
  return say(own.length === 1 ? lines.stillThere : lines.closing, last.at + pace.silenceMs, pace);
}

function say(text: string, typeAt: number, { typeMsPerCharacter, minTypeMs, maxTypeMs }: Pace): NextStep {
  const typeMs = Math.min(maxTypeMs, Math.max(minTypeMs, text.length * typeMsPerCharacter));
  return { kind: 'say', text, typeAt, sendAt: typeAt + typeMs };
}

/** The messages that the played person wrote since the visitor or a colleague last wrote, newest first. */
function findOwnLastMessages(messages: readonly HeardMessage[]): HeardMessage[] {
  const since = messages.findLastIndex(({ author }) => author !== 'self');
  return messages.slice(since + 1).reverse();
}

/** Whether the visitor's messages before `end` were a goodbye. */
function hasSaidGoodbye(conversation: HeardConversation, end: number): boolean {
  const before = conversation.messages.slice(0, end);
  const start = before.findLastIndex(({ author }) => author !== 'visitor') + 1;
  return isGoodbye({ ...conversation, messages: before }, before.slice(start));
}
