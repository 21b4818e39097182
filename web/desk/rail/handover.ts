import type { DeskConversation } from '../state/model.ts';

/** Another operator had the conversation before. */
export interface Handover {
  /** Since when the visitor waits for the next one. */
  readonly at: string;
  /** Who passed it on, if that is known here. */
  readonly by: string | undefined;
  /** What they wrote for the next one. */
  readonly note: string | undefined;
}

/** Notices at the end of the time with an operator. */
const ENDS = ['transferred', 'operator_left'];

/** Of an offer. Undefined for a visitor whom no operator has served yet in this conversation. */
export function findHandover({ messages, notes }: Pick<DeskConversation, 'messages' | 'notes'>): Handover | undefined {
  const end = messages.findLast(({ notice }) => notice !== null && ENDS.includes(notice.code));
  if (end === undefined) return undefined;
  if (end.notice?.code !== 'transferred') return { at: end.at, by: undefined, note: undefined };
  // The note of a transfer is stored just before its notice.
  const note = notes.findLast(({ clientId, afterSequence }) => clientId === null && afterSequence === end.sequence - 1);
  const lastAnswer = messages.findLast(({ author, sequence }) => author === 'OPERATOR' && sequence < end.sequence);
  return { at: end.at, by: (note ?? lastAnswer)?.operator?.pseudo, note: note?.text };
}
