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
    readonly closed: number;
    readonly stillWaiting: number;
    readonly stillRunning: number;
  };
  /** From the start to the first offer and to the acceptance, as visitors saw it. */
  readonly untilOffered: Distribution;
  readonly untilAccepted: Distribution;
  /** For slots that went to a queued conversation: from the close (request, response) to the offer on the desk. */
  readonly closeAskedToOffer: Distribution;
  readonly closeAnsweredToOffer: Distribution;
  readonly offers: Readonly<Record<OfferEnd, number>>;
  readonly messages: { readonly acknowledged: number; readonly sentAgain: number; readonly told: number };
  readonly streams: { readonly opened: number; readonly resumed: number; readonly lost: number };
  readonly utilisation: readonly { readonly who: Participant; readonly share: number }[];
  readonly requests: readonly { readonly operation: string; readonly took: Distribution }[];
  readonly eventDelay: Distribution;
  /** Requests without a response are neither done nor failed. */
  readonly unanswered: number;
  readonly errors: readonly { readonly what: string; readonly count: number }[];
}

export function computeFigures(entries: readonly Entry[]): Figures {
  const timeline = buildTimeline(entries);
  const ofKind = <Kind extends Entry['kind']>(kind: Kind) =>
    entries.filter((entry): entry is Extract<Entry, { kind: Kind }> => entry.kind === kind);
  const completed = ofKind('answered');
  const events = ofKind('told');
  const opened = ofKind('opened');
  const found = ofKind('found');
  const sent = ofKind('sent');
  const sentMessages = new Set(sent.map(({ conversation, message }) => `${conversation} ${message.clientId}`));
  const distinctStreams = new Set(opened.map(({ who, conversation }) => `${who} ${conversation}`));
  const countInStates = (...states: readonly string[]) => found.filter(({ state }) => states.includes(state)).length;
  return {
    seconds: ((entries.at(-1)?.at ?? 0) - (ofKind('hired')[0]?.at ?? entries[0]?.at ?? 0)) / 1000,
    visitors: completed.filter(({ operation }) => operation === 'session').length,
    conversations: {
      started: timeline.conversations.size,
      refused: completed.filter(({ operation, outcome }) => operation === 'conversationStart' && outcome === 'refused')
        .length,
      abandoned: ofKind('left').length,
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
      told: events.filter(({ type }) => type === 'message.created').length,
    },
    streams: {
      opened: opened.length,
      resumed: opened.length - distinctStreams.size,
      lost: ofKind('ended').filter(({ how }) => how === 'lost').length,
    },
    utilisation: computeUtilisation(timeline, entries),
    requests: [...Map.groupBy(withoutAdmin(completed), ({ operation }) => operation)].map(([operation, list]) => ({
      operation,
      took: summarize(list.filter(({ outcome }) => outcome === 'done').map(({ at, askedAt }) => at - askedAt)),
    })),
    eventDelay: summarize(liveDelays(timeline, opened, events)),
    unanswered: completed.reduce((sum, entry) => sum + entry.unanswered, 0),
    errors: countErrors(completed),
  };
}

function withoutAdmin(completed: readonly RequestCompleted[]): RequestCompleted[] {
  return completed.filter(({ who }) => who !== 'admin');
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
  return [...conversations.values()].flatMap(({ who, conversation, at }) => {
    const event = events.get(who)?.find((one) => one.type === type && one.conversation === conversation);
    return event ? [Math.max(0, event.at - at)] : [];
  });
}

/** Slots that the service freed and offered again in one transaction, because a conversation was queued. */
function slotReuseTimes({ assignments, events }: Timeline, completed: readonly RequestCompleted[]) {
  const closes = new Map<string, RequestCompleted>();
  for (const entry of completed) {
    if (entry.operation === 'conversationClose' && entry.outcome === 'done')
      closes.set(`${entry.who} ${entry.conversation}`, entry);
  }
  const fromRequest: number[] = [];
  const fromResponse: number[] = [];
  for (const [who, ownAssignments] of Map.groupBy(assignments, (assignment) => assignment.who)) {
    const sorted = ownAssignments.toSorted((a, b) => a.from - b.from);
    const serverTimes = new Map(events.get(who)?.map(({ position, serverAt }) => [position, serverAt]));
    for (const freed of sorted) {
      const close = closes.get(`${who} ${freed.conversation}`);
      const next = sorted.find(({ from }) => from > freed.to);
      if (!close || !next || next.fromServerAt !== serverTimes.get(freed.to)) continue;
      fromRequest.push(next.notifiedAt - close.askedAt);
      fromResponse.push(Math.max(0, next.notifiedAt - close.at));
    }
  }
  return { closeAskedToOffer: summarize(fromRequest), closeAnsweredToOffer: summarize(fromResponse) };
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
    if (entry.kind === 'opened') openSince.set(entry.who, entry.at);
    if (entry.kind !== 'ended') continue;
    const since = openSince.get(entry.who) ?? entry.at;
    presentMs.set(entry.who, (presentMs.get(entry.who) ?? 0) + entry.at - since);
    openSince.delete(entry.who);
  }
  for (const [who, since] of openSince) presentMs.set(who, (presentMs.get(who) ?? 0) + endedAt - since);
  const assignmentsByOperator = Map.groupBy(assignments, ({ who }) => who);
  return [...operators.values()].map(({ who, chatMaxNumber }) => {
    const used = (assignmentsByOperator.get(who) ?? []).reduce((sum, { conversation, notifiedAt, endedAt: end }) => {
      const slots = conversations.get(conversation)?.channel === 'chat' ? chatMaxNumber : 1;
      return sum + (end - notifiedAt) / slots;
    }, 0);
    return { who, share: Math.min(1, used / Math.max(1, presentMs.get(who) ?? 0)) };
  });
}

function countErrors(completed: readonly RequestCompleted[]): Figures['errors'] {
  const failed = completed.filter(({ outcome }) => outcome !== 'done');
  return [...Map.groupBy(failed, ({ operation, outcome, code }) => `${operation} ${outcome}: ${code}`)]
    .map(([what, list]) => ({ what, count: list.length }))
    .sort((a, b) => b.count - a.count);
}

export function summarize(values: readonly number[]): Distribution {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, p50: at(0.5), p90: at(0.9), p99: at(0.99), most: sorted.at(-1) ?? 0 };
}
