import type { Answered, Entry, Opened, Told, Who } from './journal.ts';
import { type Holding, type OfferEnd, type Timeline, timelineOf } from './timeline.ts';

/** What a run looked like, in numbers, from the journal alone. Times are milliseconds. */

export interface Spread {
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
  /** From the start to the first offer, and until somebody took it, as visitors saw it. */
  readonly untilOffered: Spread;
  readonly untilAccepted: Spread;
  /** Of slots that went to somebody who waited: from the close (asked for, answered) to the offer on the desk. */
  readonly closeAskedToOffer: Spread;
  readonly closeAnsweredToOffer: Spread;
  readonly offers: Readonly<Record<OfferEnd, number>>;
  readonly messages: { readonly acknowledged: number; readonly sentAgain: number; readonly told: number };
  readonly streams: { readonly opened: number; readonly resumed: number; readonly lost: number };
  readonly utilisation: readonly { readonly who: Who; readonly share: number }[];
  readonly requests: readonly { readonly operation: string; readonly took: Spread }[];
  readonly eventDelay: Spread;
  /** Requests without an answer are neither done nor failed. */
  readonly unanswered: number;
  readonly errors: readonly { readonly what: string; readonly count: number }[];
}

export function figuresOf(entries: readonly Entry[]): Figures {
  const timeline = timelineOf(entries);
  const of = <Kind extends Entry['kind']>(kind: Kind) =>
    entries.filter((entry): entry is Extract<Entry, { kind: Kind }> => entry.kind === kind);
  const answered = of('answered');
  const told = of('told');
  const opened = of('opened');
  const found = of('found');
  const sent = of('sent');
  const names = new Set(sent.map(({ conversation, message }) => `${conversation} ${message.clientId}`));
  const streamsOf = new Set(opened.map(({ who, conversation }) => `${who} ${conversation}`));
  const stillIn = (...states: readonly string[]) => found.filter(({ state }) => states.includes(state)).length;
  return {
    seconds: ((entries.at(-1)?.at ?? 0) - (of('hired')[0]?.at ?? entries[0]?.at ?? 0)) / 1000,
    visitors: answered.filter(({ operation }) => operation === 'session').length,
    conversations: {
      started: timeline.started.size,
      refused: answered.filter(({ operation, outcome }) => operation === 'conversationStart' && outcome === 'refused')
        .length,
      abandoned: of('left').length,
      closed: stillIn('CLOSED'),
      stillWaiting: stillIn('QUEUED'),
      stillRunning: stillIn('OFFERED', 'ACTIVE'),
    },
    untilOffered: spread(waits(timeline, 'conversation.offered')),
    untilAccepted: spread(waits(timeline, 'conversation.started')),
    ...drainTimes(timeline, answered),
    offers: countOffers(timeline.holdings),
    messages: {
      acknowledged: names.size,
      sentAgain: sent.length - names.size,
      told: told.filter(({ type }) => type === 'message.created').length,
    },
    streams: {
      opened: opened.length,
      resumed: opened.length - streamsOf.size,
      lost: of('ended').filter(({ how }) => how === 'lost').length,
    },
    utilisation: utilisationOf(timeline, entries),
    requests: [...Map.groupBy(ofPeople(answered), ({ operation }) => operation)].map(([operation, list]) => ({
      operation,
      took: spread(list.filter(({ outcome }) => outcome === 'done').map(({ at, askedAt }) => at - askedAt)),
    })),
    eventDelay: spread(liveDelays(timeline, opened, told)),
    unanswered: answered.reduce((sum, entry) => sum + entry.unanswered, 0),
    errors: errorsOf(answered),
  };
}

function ofPeople(answered: readonly Answered[]): Answered[] {
  return answered.filter(({ who }) => who !== 'admin');
}

/** How long events took to be told, of those that happened while their stream was open. */
function liveDelays({ clockOffset }: Timeline, opened: readonly Opened[], told: readonly Told[]): number[] {
  const since = new Map(opened.map(({ stream, at }) => [stream, at]));
  return told.flatMap(({ stream, at, serverAt }) =>
    serverAt + clockOffset > (since.get(stream) ?? 0) ? [at - serverAt - clockOffset] : [],
  );
}

/** From the start of each conversation to the first event of a kind. */
export function waits({ started, told }: Timeline, type: string): number[] {
  return [...started.values()].flatMap(({ who, conversation, at }) => {
    const event = told.get(who)?.find((one) => one.type === type && one.conversation === conversation);
    return event ? [Math.max(0, event.at - at)] : [];
  });
}

/** Slots whose end and whose next offer are one step of the service: somebody had been waiting. */
function drainTimes({ holdings, told }: Timeline, answered: readonly Answered[]) {
  const closes = new Map<string, Answered>();
  for (const entry of answered) {
    if (entry.operation === 'conversationClose' && entry.outcome === 'done')
      closes.set(`${entry.who} ${entry.conversation}`, entry);
  }
  const asked: number[] = [];
  const acknowledged: number[] = [];
  for (const [who, own] of Map.groupBy(holdings, (holding) => holding.who)) {
    const gains = own.toSorted((a, b) => a.from - b.from);
    const moments = new Map(told.get(who)?.map(({ position, serverAt }) => [position, serverAt]));
    for (const freed of gains) {
      const close = closes.get(`${who} ${freed.conversation}`);
      const next = gains.find(({ from }) => from > freed.to);
      if (!close || !next || next.fromServerAt !== moments.get(freed.to)) continue;
      asked.push(next.toldAt - close.askedAt);
      acknowledged.push(Math.max(0, next.toldAt - close.at));
    }
  }
  return { closeAskedToOffer: spread(asked), closeAnsweredToOffer: spread(acknowledged) };
}

function countOffers(holdings: readonly Holding[]): Record<OfferEnd, number> {
  const counts = { accepted: 0, declined: 0, timed_out: 0, withdrawn: 0, open: 0 };
  for (const { offer } of holdings) counts[offer] += 1;
  return counts;
}

/** The share of their slots that operators had in use while their desk was open. */
function utilisationOf(
  { hired, holdings, started, endedAt }: Timeline,
  entries: readonly Entry[],
): Figures['utilisation'] {
  const present = new Map<Who, number>();
  const openSince = new Map<Who, number>();
  for (const entry of entries) {
    if (entry.kind === 'opened') openSince.set(entry.who, entry.at);
    if (entry.kind !== 'ended') continue;
    const since = openSince.get(entry.who) ?? entry.at;
    present.set(entry.who, (present.get(entry.who) ?? 0) + entry.at - since);
    openSince.delete(entry.who);
  }
  for (const [who, since] of openSince) present.set(who, (present.get(who) ?? 0) + endedAt - since);
  const own = Map.groupBy(holdings, ({ who }) => who);
  return [...hired.values()].map(({ who, chatMaxNumber }) => {
    const used = (own.get(who) ?? []).reduce((sum, { conversation, toldAt, endedAt: end }) => {
      const slots = started.get(conversation)?.channel === 'chat' ? chatMaxNumber : 1;
      return sum + (end - toldAt) / slots;
    }, 0);
    return { who, share: Math.min(1, used / Math.max(1, present.get(who) ?? 0)) };
  });
}

function errorsOf(answered: readonly Answered[]): Figures['errors'] {
  const wrong = answered.filter(({ outcome }) => outcome !== 'done');
  return [...Map.groupBy(wrong, ({ operation, outcome, code }) => `${operation} ${outcome}: ${code}`)]
    .map(([what, list]) => ({ what, count: list.length }))
    .sort((a, b) => b.count - a.count);
}

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, p50: at(0.5), p90: at(0.9), p99: at(0.99), most: sorted.at(-1) ?? 0 };
}
