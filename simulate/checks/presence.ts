import type { Entry, Told, Who } from '../journal.ts';
import { type Holding, NEVER, type Timeline } from '../timeline.ts';
import type { Check, Problem } from './check.ts';

/** A service that is busy notices a closed connection a little late, and later where it takes long for everything. */
const NOTICED_WITHIN_MS = 3000;
const NOTICED_AFTER_ANSWERS = 5;
/** Two clocks, and an answer that is on its way. */
const ANSWERED_WITHIN_MS = 100;
/** Who goes silently is missed by two pings and the end of their lease. */
const SILENT_WITHIN_MS = 45_000;

/** A time in which somebody must not be offered anything, in their own time. */
interface Away {
  readonly from: number;
  until: number;
  readonly why: string;
}

/**
 * Nobody is offered anything once they are known to be away: by their own journal (a closed desk, an acknowledged wish), with
 * the time that noticing it may take; and by the order of what their desk was told, without any.
 */
export const presence: Check = {
  name: 'no offer went to somebody who was offline or unavailable',
  problems: (timeline, entries) => {
    const own = Map.groupBy(entries, ({ who }) => who);
    const noticedWithinMs = NOTICED_WITHIN_MS + NOTICED_AFTER_ANSWERS * slowestAnswer(entries);
    const holdings = Map.groupBy(timeline.holdings, ({ who }) => who);
    return [...timeline.hired.keys()].flatMap((who) => [
      ...offersWhileAway(timeline, holdings.get(who) ?? [], awayTimes(own.get(who) ?? [], noticedWithinMs)),
      ...offersAfterGoodbye(who, timeline.told.get(who) ?? []),
    ]);
  },
};

function offersWhileAway({ clockOffset }: Timeline, holdings: readonly Holding[], away: readonly Away[]): Problem[] {
  const problems: Problem[] = [];
  for (const holding of holdings) {
    const offeredAt = holding.fromServerAt + clockOffset;
    const found = away.find(({ from, until }) => offeredAt > from && offeredAt < until);
    if (found) {
      const late = Math.round(offeredAt - found.from);
      const what = `${holding.who} was offered conversation ${holding.conversation} at position ${holding.from}, ${late} ms after the last moment: ${found.why}`;
      problems.push({ what, at: holding.toldAt });
    }
  }
  return problems;
}

/** How long the service took at most for what it answered at once. */
function slowestAnswer(entries: readonly Entry[]): number {
  return entries.reduce(
    (slowest, entry) =>
      entry.kind === 'answered' && entry.tries === 1 ? Math.max(slowest, entry.at - entry.askedAt) : slowest,
    0,
  );
}

/** From what the operator did themself. */
function awayTimes(entries: readonly Entry[], noticedWithinMs: number): Away[] {
  const away: Away[] = [];
  let gone: Away | undefined;
  let unwilling: Away | undefined;
  let leasedUntil = 0;
  for (const entry of entries) {
    if (entry.kind === 'leased') leasedUntil = entry.until;
    if (entry.kind === 'opened' || entry.kind === 'leased') {
      if (gone) gone.until = Math.min(gone.until, entry.at);
      gone = undefined;
    } else if (entry.kind === 'ended' && entry.how !== 'finished' && entry.how !== 'lost') {
      const within = entry.how === 'silent' ? SILENT_WITHIN_MS : noticedWithinMs;
      gone = {
        from: Math.max(entry.at + within, leasedUntil),
        until: NEVER,
        why: `the desk was closed (${entry.how})`,
      };
      away.push(gone);
    } else if (entry.kind === 'wished' && !entry.available) {
      if (unwilling) continue;
      unwilling = { from: entry.at + ANSWERED_WITHIN_MS, until: NEVER, why: 'they had said that they are unavailable' };
      away.push(unwilling);
    } else if (entry.kind === 'wished' && entry.available && unwilling) {
      unwilling.until = entry.askedAt;
      unwilling = undefined;
    }
  }
  return away;
}

function offersAfterGoodbye(who: Who, events: readonly Told[]): Problem[] {
  const problems: Problem[] = [];
  let offlineSince: number | undefined;
  for (const { type, position, conversation, at } of events) {
    if (type === 'operator.connected') offlineSince = undefined;
    if (type === 'operator.disconnected') offlineSince = position;
    if (type === 'conversation.offered' && offlineSince !== undefined) {
      const what = `${who} was offered conversation ${conversation} at position ${position}, though announced offline at ${offlineSince}`;
      problems.push({ what, at });
    }
  }
  return problems;
}
