import type { Told } from '../journal.ts';
import type { Timeline } from '../timeline.ts';
import type { Check, Problem } from './check.ts';

/** Who declined or missed an offer is not asked for the same conversation again before this is over. */
const PAUSE_MS = 60_000;
/** Those who came within this time of each other count as having come together. */
const TOLERANCE_MS = 1000;

interface Waiting {
  readonly conversation: number;
  readonly createdAt: number;
  /** Positions at which it began and ended to wait; several times if it came back. */
  readonly spells: { from: number; to: number }[];
  /** When which operator gave it back, by the service's clock: news of it may come late. */
  readonly refused: Map<string, number>;
  /** From here on it is before everybody, as its operator was lost. */
  readonly headFrom: number;
}

/** Of two who ask for the same, the one who came first is offered first, unless that operator had just refused them. */
export const queueOrder: Check = {
  name: 'who came first was served first, among those who asked for the same',
  problems: (timeline) => {
    const groups = Map.groupBy(timeline.started.values(), ({ need }) => need);
    const waiting = waitingOf(timeline);
    return [...groups.values()].flatMap((group) =>
      inversions(
        timeline,
        group.flatMap(({ conversation }) => waiting.get(conversation) ?? []),
      ),
    );
  },
};

function waitingOf({ started, holdings, told }: Timeline): Map<number, Waiting> {
  const all = new Map<number, Waiting>();
  const closedAt = new Map<number, number>();
  for (const events of told.values())
    for (const { type, conversation, position } of events)
      if (type === 'conversation.closed' && conversation !== null) closedAt.set(conversation, position);
  const byConversation = Map.groupBy(holdings, ({ conversation }) => conversation);
  for (const { conversation, createdAt } of started.values()) {
    const held = (byConversation.get(conversation) ?? []).toSorted((a, b) => a.from - b.from);
    const refused = new Map<string, number>();
    const spells: { from: number; to: number }[] = [];
    let from = queuedAt(told.get(started.get(conversation)?.who ?? 'visitor -1') ?? [], conversation);
    let headFrom = Number.POSITIVE_INFINITY;
    for (const holding of held) {
      spells.push({ from, to: holding.from });
      from = holding.to;
      if (holding.end === 'declined' || holding.end === 'timed_out') refused.set(holding.who, holding.endedServerAt);
      if (holding.end === 'operator_lost') headFrom = Math.min(headFrom, holding.to);
    }
    spells.push({ from, to: closedAt.get(conversation) ?? Number.POSITIVE_INFINITY });
    all.set(conversation, { conversation, createdAt, spells, refused, headFrom });
  }
  return all;
}

/** Where it began to wait: the first that its visitor heard of it. */
function queuedAt(events: readonly Told[], conversation: number): number {
  return events.find((event) => event.conversation === conversation)?.position ?? Number.POSITIVE_INFINITY;
}

function inversions({ holdings }: Timeline, group: readonly Waiting[]): Problem[] {
  const members = new Map(group.map((one) => [one.conversation, one]));
  const offers = holdings.filter(({ conversation }) => members.has(conversation));
  const problems: Problem[] = [];
  for (const { conversation, who, from, fromServerAt, toldAt } of offers) {
    const chosen = members.get(conversation) as Waiting;
    if (from > chosen.headFrom) continue;
    const passedOver = group.find(
      (other) =>
        other.createdAt < chosen.createdAt - TOLERANCE_MS &&
        other.spells.some((spell) => from > spell.from && from < spell.to) &&
        fromServerAt - (other.refused.get(who) ?? 0) > PAUSE_MS + TOLERANCE_MS,
    );
    if (passedOver) {
      const earlier = Math.round(chosen.createdAt - passedOver.createdAt);
      const what = `${who} was offered conversation ${conversation} at position ${from}, while ${passedOver.conversation} waited for the same since ${earlier} ms before`;
      problems.push({ what, at: toldAt });
    }
  }
  return problems;
}
