import { type CheckResult, checkJournal } from '../../../simulate/checks.ts';
import { Client } from '../../../simulate/client.ts';
import { type Answered, type Entry, Journal } from '../../../simulate/journal.ts';
import { makePlan, type PlanOptions } from '../../../simulate/plan.ts';
import { recount } from '../../../simulate/recount.ts';
import { simulate } from '../../../simulate/run.ts';
import { logIn, setStage } from '../../../simulate/stage.ts';
import { ADMIN } from '../processes/switchboard.ts';

/** Simulated visitors and operators, who come and talk until they are told to end. */
export interface SimulatedLoad {
  readonly entries: readonly Entry[];
  /** Identifiers of the operators. */
  readonly operators: readonly string[];
  /** Everybody finishes what they have; answers with what was found in all that they saw. */
  finish(): Promise<CheckResult[]>;
  /** Everybody goes at once, for a test that failed; after `finish` there is nobody any more. */
  abandon(): void;
}

/** Longer than any suite: it ends when it is told to. */
const DURATION_MS = 1_200_000;

const PLAN: PlanOptions = {
  ...{ seed: 'faults', durationMs: DURATION_MS, operators: 8, arrival: { kind: 'steady', perMinute: 150 } },
  ...{ handlingMs: 40_000, decline: 0.05, ignore: 0.02, disconnect: 0, abandon: 0.1 },
  ...{
    channels: { chat: 8, call: 1, video: 1 },
    websites: 2,
    skills: 3,
    groups: 2,
    languages: ['en', 'fr'],
    speed: 20,
  },
};

/** Enough for every desk to have something to lose, and little enough for a machine that is busy with other things. */
export const SMALL_LOAD: Partial<PlanOptions> = {
  ...{ operators: 4, arrival: { kind: 'steady', perMinute: 60 }, handlingMs: 20_000 },
};

export async function startLoad(url: string, more: Partial<PlanOptions> = {}): Promise<SimulatedLoad> {
  const client = new Client({ urls: [url], believesAddresses: true });
  const journal = new Journal();
  const plan = makePlan({ ...PLAN, ...more });
  const token = await logIn(client, ADMIN);
  const stage = await setStage(client, journal, plan, token, { account: { offerSeconds: 5 } });
  const stop = new AbortController();
  const running = simulate({ client, journal, plan, stage, stop: stop.signal });
  return {
    entries: journal.entries,
    operators: stage.operators.map(({ id }) => id),
    finish: async () => {
      stop.abort();
      await running;
      const counted = await recount(stage.admin, journal.entries);
      client.close();
      return [...checkJournal(journal.entries), counted];
    },
    abandon: () => {
      stop.abort();
      client.close();
      running.catch(() => undefined);
    },
  };
}

export function answersIn(entries: readonly Entry[]): Answered[] {
  return entries.filter((entry) => entry.kind === 'answered');
}

/** How many operators have had a desk. */
export function desksThatCame(entries: readonly Entry[]): number {
  const came = entries.filter(({ kind, who }) => kind === 'connected' && who.startsWith('operator'));
  return new Set(came.map(({ who }) => who)).size;
}

/** A desk that lost its connection, and when the next one was taken; null when none was. */
export interface DeskLoss {
  readonly who: string;
  readonly backAfterMs: number | null;
}

export function deskLosses(entries: readonly Entry[]): DeskLoss[] {
  const losses: DeskLoss[] = [];
  const lostAt = new Map<string, number>();
  for (const entry of entries) {
    if (!entry.who.startsWith('operator')) continue;
    if (entry.kind === 'ended' && entry.how === 'lost' && !lostAt.has(entry.who)) lostAt.set(entry.who, entry.at);
    if (entry.kind !== 'connected') continue;
    const since = lostAt.get(entry.who);
    if (since !== undefined) losses.push({ who: entry.who, backAfterMs: entry.at - since });
    lostAt.delete(entry.who);
  }
  return [...losses, ...[...lostAt.keys()].map((who) => ({ who, backAfterMs: null }))];
}

/** Less than the grace after a closed connection, which is 10 s. */
const AWAY_LONG_MS = 5000;

/** Announcements that somebody went offline: their own desk is told when it is back. */
export function wentOffline(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) =>
    entry.kind === 'told' && entry.type === 'operator.disconnected'
      ? [`${entry.who} at position ${entry.position}: ${entry.reason}`]
      : [],
  );
}

/** The same of those who were never away for long: whoever has no processor comes back late, and went offline rightly. */
export function wentOfflineWrongly(entries: readonly Entry[]): string[] {
  const late = deskLosses(entries).filter(({ backAfterMs }) => (backAfterMs ?? AWAY_LONG_MS) >= AWAY_LONG_MS);
  const excused = new Set(late.map(({ who }) => who));
  return wentOffline(entries.filter(({ who }) => !excused.has(who)));
}
