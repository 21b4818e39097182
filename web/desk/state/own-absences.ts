import type { DeskConversation, Message, Viewer } from './model.ts';

/** The time in which one operator had the conversation. */
interface Handling {
  readonly absences: number[];
  /** Undefined while nothing tells whose it was. */
  isViewer: boolean | undefined;
  isOver: boolean;
}

const HIDDEN = ['operator_away', 'operator_back'];
const ENDS = ['operator_left', 'transferred'];

/**
 * The messages as the viewer reads them. The visitor is told that the operator lost the connection and is back, for
 * example because the page was loaded again: the operator knows, and the time that ran out is told as their own.
 */
export function listMessagesFor(
  viewer: Pick<Viewer, 'id' | 'pseudo'>,
  { messages, operator }: Pick<DeskConversation, 'messages' | 'operator'>,
): readonly Message[] {
  const own = findOwnAbsences(viewer, messages, operator?.id === viewer.id);
  if (own.size === 0) return messages;
  return messages.flatMap((message) => {
    const { notice, sequence } = message;
    if (notice === null || !own.has(sequence)) return message;
    return HIDDEN.includes(notice.code) ? [] : { ...message, notice: { ...notice, code: `${notice.code}_own` } };
  });
}

/** Their sequence numbers. `isHandler`: the conversation is the viewer's now. */
function findOwnAbsences(
  viewer: Pick<Viewer, 'id' | 'pseudo'>,
  messages: readonly Message[],
  isHandler: boolean,
): ReadonlySet<number> {
  let current: Handling = { absences: [], isViewer: undefined, isOver: false };
  const handlings = [current];
  for (const { author, operator, notice, sequence } of messages) {
    if (author === 'OPERATOR') current.isViewer = operator?.id === viewer.id;
    if (notice === null) continue;
    if (notice.code === 'operator_joined') {
      const pseudo = notice.parameters.find(({ name }) => name === 'pseudo')?.value;
      current = { absences: [], isViewer: pseudo === viewer.pseudo, isOver: false };
      handlings.push(current);
    }
    if (HIDDEN.includes(notice.code) || notice.code === 'operator_left') current.absences.push(sequence);
    if (ENDS.includes(notice.code)) current.isOver = true;
  }
  if (!current.isOver) current.isViewer = isHandler;
  return new Set(handlings.flatMap(({ absences, isViewer }) => (isViewer ? absences : [])));
}
