import { type CheckResult, checkJournal } from '../../../simulate/checks.ts';
import { HttpClient } from '../../../simulate/http-client.ts';
import { type Entry, Journal, type RequestCompleted } from '../../../simulate/journal.ts';
import { createPlan, type PlanOptions } from '../../../simulate/plan.ts';
import { recountConversations } from '../../../simulate/recount.ts';
import { simulate } from '../../../simulate/run.ts';
import { logIn, setUp } from '../../../simulate/setup.ts';
import { ADMIN } from '../processes/switchboard.ts';

/** Simulated visitors and operators, active until stopped. */
export interface SimulatedLoad {
  readonly entries: readonly Entry[];
  /** Operator ids. */
  readonly operators: readonly string[];
  /** Lets all participants finish, and returns the checks of everything that they saw. */
  finish(): Promise<CheckResult[]>;
  /** Disconnects all participants immediately, for a failed test; does nothing after `finish`. */
  abandon(): void;
}

/** Longer than any suite: the load ends when stopped. */
const DURATION_MS = 1_200_000;

const PLAN: PlanOptions = {
  ...{ seed: 'faults', durationMs: DURATION_MS, operators: 8, arrival: { kind: 'steady', perMinute: 150 } },
  ...{ handlingMs: 40_000, decline: 0.05, ignore: 0.02, disconnect: 0, abandon: 0.1 },
  ...{ leave: 0, typing: 0.3, read: 0.3, files: 0, absenceMinutes: 5 },
  ...{
    channels: { chat: 8, call: 1, video: 1 },
    websites: 2,
    skills: 3,
    groups: 2,
    languages: ['en', 'fr'],
    speed: 20,
  },
};

/** Enough for every desk to have something to lose, and little enough for a busy machine. */
export const SMALL_LOAD: Partial<PlanOptions> = {
  ...{ operators: 4, arrival: { kind: 'steady', perMinute: 60 }, handlingMs: 20_000 },
};

export async function startSimulatedLoad(url: string, overrides: Partial<PlanOptions> = {}): Promise<SimulatedLoad> {
  const client = new HttpClient({ urls: [url], trustsForwardedFor: true });
  const journal = new Journal();
  const plan = createPlan({ ...PLAN, ...overrides });
  const token = await logIn(client, ADMIN);
  const setup = await setUp(client, journal, plan, token, { account: { offerSeconds: 5 } });
  const stop = new AbortController();
  const running = simulate({ client, journal, plan, setup, stop: stop.signal });
  return {
    entries: journal.entries,
    operators: setup.operators.map(({ id }) => id),
    finish: async () => {
      stop.abort();
      await running;
      const counted = await recountConversations(setup.admin, journal.entries);
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

export function responsesIn(entries: readonly Entry[]): RequestCompleted[] {
  return entries.filter((entry) => entry.kind === 'request_completed');
}

/** Number of operators whose desk has connected. */
export function countConnectedDesks(entries: readonly Entry[]): number {
  const came = entries.filter(
    ({ kind, participant }) => kind === 'stream_connected' && participant.startsWith('operator'),
  );
  return new Set(came.map(({ participant }) => participant)).size;
}

/** A desk that lost its connection; `reconnectedAfterMs` is null if it never came back. */
export interface DeskLoss {
  readonly participant: string;
  readonly reconnectedAfterMs: number | null;
}

export function findDeskLosses(entries: readonly Entry[]): DeskLoss[] {
  const losses: DeskLoss[] = [];
  const lostAt = new Map<string, number>();
  for (const entry of entries) {
    if (!entry.participant.startsWith('operator')) continue;
    if (entry.kind === 'stream_ended' && entry.how === 'lost' && !lostAt.has(entry.participant))
      lostAt.set(entry.participant, entry.at);
    if (entry.kind !== 'stream_connected') continue;
    const since = lostAt.get(entry.participant);
    if (since !== undefined) losses.push({ participant: entry.participant, reconnectedAfterMs: entry.at - since });
    lostAt.delete(entry.participant);
  }
  return [...losses, ...[...lostAt.keys()].map((participant) => ({ participant, reconnectedAfterMs: null }))];
}

/** Less than the grace period after a closed connection, which is 10 s. */
const LONG_ABSENCE_MS = 5000;

/** Events that an operator went offline; the operator's own desk receives them after reconnecting. */
export function findDisconnects(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) =>
    entry.kind === 'event_received' && entry.type === 'operator.disconnected'
      ? [`${entry.participant} at position ${entry.position}: ${entry.reason}`]
      : [],
  );
}

/** Excludes desks that were away for long: on a busy machine a desk reconnects late, and the disconnect is correct. */
export function findUnexpectedDisconnects(entries: readonly Entry[]): string[] {
  const late = findDeskLosses(entries).filter(
    ({ reconnectedAfterMs }) => (reconnectedAfterMs ?? LONG_ABSENCE_MS) >= LONG_ABSENCE_MS,
  );
  const excused = new Set(late.map(({ participant }) => participant));
  return findDisconnects(entries.filter(({ participant }) => !excused.has(participant)));
}
