import type { Entry, EventReceived, Participant, RequestCompleted, StreamOpened } from './journal.ts';
import { type Assignment, buildTimeline, type OfferEnd, type Timeline } from './timeline.ts';

/** The figures of a run, from the journal alone. Times are in milliseconds. */

export interface Distribution {
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly most: number;
}

export interface Figures {
  readonly seconds: number;
  readonly visitors: number;
  readonly conversations: {
    readonly started: number;
    readonly refused: number;
    readonly abandoned: number;
    /** Closed by the service because the visitor had left. */
    readonly left: number;
    readonly closed: number;
    readonly stillWaiting: number;
    readonly stillRunning: number;
  };
  /** From the start to the first offer and to the acceptance, as visitors saw it. */
  readonly untilOffered: Distribution;
  readonly untilAccepted: Distribution;
  /** For slots that went to a queued conversation: from the close (request, response) to the offer on the desk. */
  readonly closeRequestToOffer: Distribution;
  readonly closeResponseToOffer: Distribution;
  readonly offers: Readonly<Record<OfferEnd, number>>;
  readonly messages: { readonly acknowledged: number; readonly sentAgain: number; readonly received: number };
  readonly streams: { readonly opened: number; readonly resumed: number; readonly lost: number };
  /** Pages that visitors closed during their conversation. */
  readonly closedPages: number;
  /** Files that visitors sent, and downloads by operators. */
  readonly files: { readonly sent: number; readonly received: number };
  readonly utilisation: readonly { readonly participant: Participant; readonly share: number }[];
  readonly requests: readonly { readonly operation: string; readonly took: Distribution }[];
  readonly eventDelay: Distribution;
  /** Requests without a response are neither done nor failed. */
  readonly attemptsWithoutResponse: number;
  readonly errors: readonly { readonly error: string; readonly count: number }[];
}

export function computeFigures(entries: readonly Entry[]): Figures {
  const timeline = buildTimeline(entries);
  const ofKind = <Kind extends Entry['kind']>(kind: Kind) =>
    entries.filter((entry): entry is Extract<Entry, { kind: Kind }> => entry.kind === kind);
  const completed = ofKind('request_completed');
  const events = ofKind('event_received');
  const opened = ofKind('stream_opened');
  const found = ofKind('final_state_found');
  const sent = ofKind('message_sent');
  const sentMessages = new Set(sent.map(({ conversation, message }) => `${conversation} ${message.clientId}`));
  const distinctStreams = new Set(opened.map(({ participant, conversation }) => `${participant} ${conversation}`));
  const countInStates = (...states: readonly string[]) => found.filter(({ state }) => states.includes(state)).length;
  return {
    seconds: ((entries.at(-1)?.at ?? 0) - (ofKind('operator_created')[0]?.at ?? entries[0]?.at ?? 0)) / 1000,
    visitors: completed.filter(({ operation }) => operation === 'session').length,
    conversations: {
      started: timeline.conversations.size,
      refused: completed.filter(({ operation, outcome }) => operation === 'conversationStart' && outcome === 'refused')
        .length,
      abandoned: ofKind('conversation_abandoned').length,
      left: found.filter(({ closeReason }) => closeReason === 'VISITOR_LEFT').length,
      closed: countInStates('CLOSED'),
      stillWaiting: countInStates('QUEUED'),
      stillRunning: countInStates('OFFERED', 'ACTIVE'),
    },
    untilOffered: summarize(waitTimes(timeline, 'conversation.offered')),
    untilAccepted: summarize(waitTimes(timeline, 'conversation.started')),
    ...slotReuseTimes(timeline, completed),
    offers: countOffers(timeline.assignments),
    messages: {
      acknowledged: sentMessages.size,
      sentAgain: sent.length - sentMessages.size,
      received: events.filter(({ type }) => type === 'message.created').length,
    },
    streams: {
      opened: opened.length,
      resumed: opened.length - distinctStreams.size,
      lost: ofKind('stream_ended').filter(({ how }) => how === 'lost').length,
    },
    files: { sent: ofKind('file_sent').length, received: ofKind('file_received').length },
    closedPages: ofKind('stream_ended').filter(({ how }) => how === 'page_closed').length,
    utilisation: computeUtilisation(timeline, entries),
    requests: [...Map.groupBy(withoutAdmin(completed), ({ operation }) => operation)].map(([operation, list]) => ({
      operation,
      took: summarize(list.filter(({ outcome }) => outcome === 'done').map(({ at, requestedAt }) => at - requestedAt)),
    })),
    eventDelay: summarize(liveDelays(timeline, opened, events)),
    attemptsWithoutResponse: completed.reduce((sum, entry) => sum + entry.attemptsWithoutResponse, 0),
    errors: countErrors(completed),
  };
}

function withoutAdmin(completed: readonly RequestCompleted[]): RequestCompleted[] {
  return completed.filter(({ participant }) => participant !== 'admin');
}

/** Delays of the events that occurred while their stream was open. */
function liveDelays(
  { clockOffset }: Timeline,
  opened: readonly StreamOpened[],
  events: readonly EventReceived[],
): number[] {
  const since = new Map(opened.map(({ stream, at }) => [stream, at]));
  return events.flatMap(({ stream, at, serverAt }) =>
    serverAt + clockOffset > (since.get(stream) ?? 0) ? [at - serverAt - clockOffset] : [],
  );
}

/** From the start of each conversation to its first event of this type. */
export function waitTimes({ conversations, events }: Timeline, type: string): number[] {
  return [...conversations.values()].flatMap(({ participant, conversation, at }) => {
    const event = events.get(participant)?.find((one) => one.type === type && one.conversation === conversation);
    return event ? [Math.max(0, event.at - at)] : [];
  });
}

/** Slots that the service freed and offered again in one transaction, because a conversation was queued. */
function slotReuseTimes({ assignments, events }: Timeline, completed: readonly RequestCompleted[]) {
  const closes = new Map<string, RequestCompleted>();
  for (const entry of completed) {
    if (entry.operation === 'conversationClose' && entry.outcome === 'done')
      closes.set(`${entry.participant} ${entry.conversation}`, entry);
  }
  const fromRequest: number[] = [];
  const fromResponse: number[] = [];
  for (const [participant, ownAssignments] of Map.groupBy(assignments, (assignment) => assignment.participant)) {
    const sorted = ownAssignments.toSorted((a, b) => a.from - b.from);
    const serverTimes = new Map(events.get(participant)?.map(({ position, serverAt }) => [position, serverAt]));
    for (const freed of sorted) {
      const close = closes.get(`${participant} ${freed.conversation}`);
      const next = sorted.find(({ from }) => from > freed.to);
      if (!close || !next || next.fromServerAt !== serverTimes.get(freed.to)) continue;
      fromRequest.push(next.notifiedAt - close.requestedAt);
      fromResponse.push(Math.max(0, next.notifiedAt - close.at));
    }
  }
  return { closeRequestToOffer: summarize(fromRequest), closeResponseToOffer: summarize(fromResponse) };
}

function countOffers(assignments: readonly Assignment[]): Record<OfferEnd, number> {
  const counts = { accepted: 0, declined: 0, timed_out: 0, withdrawn: 0, open: 0 };
  for (const { offer } of assignments) counts[offer] += 1;
  return counts;
}

/** The share of slots in use while the desk was open, by operator. */
function computeUtilisation(
  { operators, assignments, conversations, endedAt }: Timeline,
  entries: readonly Entry[],
): Figures['utilisation'] {
  const presentMs = new Map<Participant, number>();
  const openSince = new Map<Participant, number>();
  for (const entry of entries) {
    if (entry.kind === 'stream_opened') openSince.set(entry.participant, entry.at);
    if (entry.kind !== 'stream_ended') continue;
    const since = openSince.get(entry.participant) ?? entry.at;
    presentMs.set(entry.participant, (presentMs.get(entry.participant) ?? 0) + entry.at - since);
    openSince.delete(entry.participant);
  }
  for (const [participant, since] of openSince)
    presentMs.set(participant, (presentMs.get(participant) ?? 0) + endedAt - since);
  const assignmentsByOperator = Map.groupBy(assignments, ({ participant }) => participant);
  return [...operators.values()].map(({ participant, chatMaxNumber }) => {
    const used = (assignmentsByOperator.get(participant) ?? []).reduce(
      (sum, { conversation, notifiedAt, endedAt: end }) => {
        const slots = conversations.get(conversation)?.channel === 'chat' ? chatMaxNumber : 1;
        return sum + (end - notifiedAt) / slots;
      },
      0,
    );
    return { participant, share: Math.min(1, used / Math.max(1, presentMs.get(participant) ?? 0)) };
  });
}

function countErrors(completed: readonly RequestCompleted[]): Figures['errors'] {
  const failed = completed.filter(({ outcome }) => outcome !== 'done');
  return [...Map.groupBy(failed, ({ operation, outcome, code }) => `${operation} ${outcome}: ${code}`)]
    .map(([error, list]) => ({ error, count: list.length }))
    .sort((a, b) => b.count - a.count);
}

export function summarize(values: readonly number[]): Distribution {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, p50: at(0.5), p90: at(0.9), p99: at(0.99), most: sorted.at(-1) ?? 0 };
}
