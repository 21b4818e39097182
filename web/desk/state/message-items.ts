import type { DeskConversation, Message, Note, PendingMessage } from './model.ts';

/** Messages of one author within this time are shown as one group. */
const GROUP_MS = 2 * 60_000;

/** What stands in the list of messages, from top to bottom. */
export type MessageItem =
  /** `day`: its midnight, in milliseconds. */
  | { readonly kind: 'date'; readonly key: string; readonly day: number }
  /** `startsGroup`: with the author's name; `endsGroup`: with the time. */
  | {
      readonly kind: 'message';
      readonly key: string;
      readonly message: Message;
      readonly startsGroup: boolean;
      readonly endsGroup: boolean;
    }
  | { readonly kind: 'note'; readonly key: string; readonly note: Note }
  | { readonly kind: 'pending'; readonly key: string; readonly pending: PendingMessage };

/** Dates, messages in groups, notes after their message, and last what is not acknowledged. */
export function listMessageItems({
  messages,
  notes,
  pending,
}: Pick<DeskConversation, 'messages' | 'notes' | 'pending'>): MessageItem[] {
  const items: MessageItem[] = [];
  let day: number | undefined;
  const addDate = (at: string) => {
    const next = new Date(at).setHours(0, 0, 0, 0);
    if (next === day) return;
    day = next;
    items.push({ kind: 'date', key: `date ${next}`, day: next });
  };
  const first = messages[0]?.sequence ?? 1;
  // Notes between messages that are not loaded yet come with them.
  const shown = notes.filter(({ afterSequence }) => afterSequence >= first - 1);
  let noteIndex = 0;
  const addNotes = (upTo: number) => {
    for (let note = shown[noteIndex]; note && note.afterSequence <= upTo; note = shown[++noteIndex]) {
      addDate(note.at);
      items.push({ kind: 'note', key: `note ${note.clientId ?? `#${note.id}`}`, note });
    }
  };
  addNotes(first - 1);
  messages.forEach((message, index) => {
    addDate(message.at);
    const previous = messages[index - 1];
    const next = messages[index + 1];
    const hasNoteBefore = items.at(-1)?.kind === 'note';
    const isFollowedByNote = shown[noteIndex]?.afterSequence === message.sequence;
    items.push({
      kind: 'message',
      key: createMessageKey(message),
      message,
      startsGroup: previous === undefined || hasNoteBefore || !isSameGroup(previous, message),
      endsGroup: next === undefined || isFollowedByNote || !isSameGroup(message, next),
    });
    addNotes(message.sequence);
  });
  addNotes(Number.POSITIVE_INFINITY);
  for (const each of pending) {
    addDate(each.at);
    items.push({ kind: 'pending', key: `${each.kind} ${each.clientId}`, pending: each });
  }
  return items;
}

/** An own message has one key from writing on, so that its row stays when it is acknowledged. */
function createMessageKey({ author, clientId, sequence }: Message): string {
  return author === 'OPERATOR' && clientId !== null ? `message ${clientId}` : `message #${sequence}`;
}

function isSameGroup(first: Message, second: Message): boolean {
  return (
    first.author !== 'NOTICE' &&
    first.author === second.author &&
    first.operator?.id === second.operator?.id &&
    Date.parse(second.at) - Date.parse(first.at) < GROUP_MS &&
    new Date(first.at).toDateString() === new Date(second.at).toDateString()
  );
}
