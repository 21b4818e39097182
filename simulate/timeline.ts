import type { ConversationStarted, Entry, EventReceived, OperatorCreated, Participant } from './journal.ts';

/** The events of the journal by participant, in the order of their positions, and the assignments that they imply. */

export type OfferEnd = 'accepted' | 'declined' | 'timed_out' | 'withdrawn' | 'open';

/** The time in which an operator had an offer or conversation, by the events on their desk. */
export interface Assignment {
  readonly participant: Participant;
  readonly conversation: number;
  /** Positions of the events that started and ended it. */
  readonly from: number;
  to: number;
  readonly fromServerAt: number;
  readonly notifiedAt: number;
  endedAt: number;
  endedServerAt: number;
  acceptedAt: number | null;
  /** How the offer ended. */
  offer: OfferEnd;
  /** `closed`, or the reason why it was requeued. */
  end: string | null;
}

export interface Timeline {
  readonly operators: ReadonlyMap<Participant, OperatorCreated>;
  readonly conversations: ReadonlyMap<number, ConversationStarted>;
  /** By participant, in the order of positions. */
  readonly events: ReadonlyMap<Participant, readonly EventReceived[]>;
  readonly assignments: readonly Assignment[];
  readonly problems: readonly { readonly message: string; readonly at: number }[];
  /** Local time minus service time, at most: the smallest observed difference. */
  readonly clockOffset: number;
  readonly endedAt: number;
}

export const NEVER = Number.POSITIVE_INFINITY;

export function buildTimeline(entries: readonly Entry[]): Timeline {
  const operators = new Map<Participant, OperatorCreated>();
  const conversations = new Map<number, ConversationStarted>();
  const events = new Map<Participant, EventReceived[]>();
  let clockOffset = NEVER;
  for (const entry of entries) {
    if (entry.kind === 'operator_created') operators.set(entry.participant, entry);
    else if (entry.kind === 'conversation_started') conversations.set(entry.conversation, entry);
    else if (entry.kind === 'event_received') {
      const list = events.get(entry.participant) ?? [];
      events.set(entry.participant, list);
      list.push(entry);
      clockOffset = Math.min(clockOffset, entry.at - entry.serverAt);
    }
  }
  for (const list of events.values()) list.sort((a, b) => a.position - b.position);
  const problems: { message: string; at: number }[] = [];
  const endedAt = entries.at(-1)?.at ?? 0;
  const assignments = [...events].flatMap(([participant, ownEvents]) =>
    participant.startsWith('operator') ? buildAssignments(participant, ownEvents, problems, endedAt) : [],
  );
  return {
    operators,
    conversations,
    events,
    assignments,
    problems,
    clockOffset: clockOffset === NEVER ? 0 : clockOffset,
    endedAt,
  };
}

/** Derives assignments from the events of one desk. Duplicate events are ignored here; another check reports them. */
function buildAssignments(
  participant: Participant,
  events: readonly EventReceived[],
  problems: { message: string; at: number }[],
  endedAt: number,
): Assignment[] {
  const all: Assignment[] = [];
  const open = new Map<number, Assignment>();
  let last = 0;
  for (const event of events) {
    const { conversation, position, type, at } = event;
    if (position === last || conversation === null) continue;
    last = position;
    const current = open.get(conversation);
    if (type === 'conversation.offered' || (type === 'conversation.started' && !current)) {
      if (current) {
        problems.push({
          message: `${participant} was offered conversation ${conversation} twice in a row (position ${position})`,
          at,
        });
        continue;
      }
      const accepted = type === 'conversation.started';
      const assignment: Assignment = {
        participant,
        conversation,
        from: position,
        to: NEVER,
        fromServerAt: event.serverAt,
        notifiedAt: at,
        endedAt,
        endedServerAt: NEVER,
        ...{ acceptedAt: accepted ? at : null, offer: accepted ? 'accepted' : 'open', end: null },
      };
      open.set(conversation, assignment);
      all.push(assignment);
    } else if (type === 'conversation.started' && current) {
      current.acceptedAt = at;
      current.offer = 'accepted';
    } else if (current && (type === 'conversation.queued' || type === 'conversation.closed')) {
      current.to = position;
      current.endedAt = at;
      current.endedServerAt = event.serverAt;
      current.end = type === 'conversation.closed' ? 'closed' : (event.reason ?? 'queued');
      if (current.offer === 'open') current.offer = toOfferEnd(current.end);
      open.delete(conversation);
    }
  }
  return all;
}

function toOfferEnd(end: string): OfferEnd {
  return end === 'declined' || end === 'timed_out' ? end : 'withdrawn';
}
