import type { Entry, Hired, Started, Told, Who } from './journal.ts';

/** The journal put together: what each desk was told, in the order of the events' positions, and what follows from it. */

export type OfferEnd = 'accepted' | 'declined' | 'timed_out' | 'withdrawn' | 'open';

/** A time in which an operator had a conversation, from the offer on, as their own desk was told. */
export interface Holding {
  readonly who: Who;
  readonly conversation: number;
  /** Positions of the events that began and ended it. */
  readonly from: number;
  to: number;
  readonly fromServerAt: number;
  readonly toldAt: number;
  endedAt: number;
  endedServerAt: number;
  acceptedAt: number | null;
  /** What became of the offer. */
  offer: OfferEnd;
  /** How it ended: closed, or back into the queue for this reason. */
  end: string | null;
}

export interface Timeline {
  readonly hired: ReadonlyMap<Who, Hired>;
  readonly started: ReadonlyMap<number, Started>;
  /** By who was told, in the order of positions. */
  readonly told: ReadonlyMap<Who, readonly Told[]>;
  readonly holdings: readonly Holding[];
  readonly problems: readonly { readonly what: string; readonly at: number }[];
  /** How far the service's clock is behind ours at most: what it says happened then and then, happened so much later here. */
  readonly clockOffset: number;
  readonly endedAt: number;
}

export const NEVER = Number.POSITIVE_INFINITY;

export function timelineOf(entries: readonly Entry[]): Timeline {
  const hired = new Map<Who, Hired>();
  const started = new Map<number, Started>();
  const told = new Map<Who, Told[]>();
  let clockOffset = NEVER;
  for (const entry of entries) {
    if (entry.kind === 'hired') hired.set(entry.who, entry);
    else if (entry.kind === 'started') started.set(entry.conversation, entry);
    else if (entry.kind === 'told') {
      const own = told.get(entry.who) ?? [];
      told.set(entry.who, own);
      own.push(entry);
      clockOffset = Math.min(clockOffset, entry.at - entry.serverAt);
    }
  }
  for (const own of told.values()) own.sort((a, b) => a.position - b.position);
  const problems: { what: string; at: number }[] = [];
  const endedAt = entries.at(-1)?.at ?? 0;
  const holdings = [...told].flatMap(([who, events]) =>
    who.startsWith('operator') ? holdingsOf(who, events, problems, endedAt) : [],
  );
  return { hired, started, told, holdings, problems, clockOffset: clockOffset === NEVER ? 0 : clockOffset, endedAt };
}

/** What a desk knows that its operator has. Events that come twice are found elsewhere, and count once here. */
function holdingsOf(
  who: Who,
  events: readonly Told[],
  problems: { what: string; at: number }[],
  endedAt: number,
): Holding[] {
  const all: Holding[] = [];
  const open = new Map<number, Holding>();
  let last = 0;
  for (const event of events) {
    const { conversation, position, type, at } = event;
    if (position === last || conversation === null) continue;
    last = position;
    const held = open.get(conversation);
    if (type === 'conversation.offered' || (type === 'conversation.started' && !held)) {
      if (held) {
        problems.push({ what: `${who} was offered conversation ${conversation} twice in a row (${position})`, at });
        continue;
      }
      const accepted = type === 'conversation.started';
      const holding: Holding = {
        ...{ who, conversation, from: position, to: NEVER, fromServerAt: event.serverAt, toldAt: at, endedAt },
        endedServerAt: NEVER,
        ...{ acceptedAt: accepted ? at : null, offer: accepted ? 'accepted' : 'open', end: null },
      };
      open.set(conversation, holding);
      all.push(holding);
    } else if (type === 'conversation.started' && held) {
      held.acceptedAt = at;
      held.offer = 'accepted';
    } else if (held && (type === 'conversation.queued' || type === 'conversation.closed')) {
      held.to = position;
      held.endedAt = at;
      held.endedServerAt = event.serverAt;
      held.end = type === 'conversation.closed' ? 'closed' : (event.reason ?? 'queued');
      if (held.offer === 'open') held.offer = offerEnd(held.end);
      open.delete(conversation);
    }
  }
  return all;
}

function offerEnd(end: string): OfferEnd {
  return end === 'declined' || end === 'timed_out' ? end : 'withdrawn';
}
