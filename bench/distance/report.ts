import { availableParallelism } from 'node:os';
import { median } from '../ratio.ts';
import { formatInteger, formatMs, printSection, verdict } from '../tables.ts';
import type { DistanceRound } from './distance-job.ts';
import { ACCOUNT_COUNT, DISTANCE_MS, type DistanceResult } from './measure.ts';

/** An account's lock is held for the claim, the change and the commit. */
const LOCK_TRIPS = 3;
const MIN_RATIO = 6;

export function printDistance(result: DistanceResult): void {
  const { rounds, roundTripMs, nearRoundTripMs } = result;
  const one = rounds.map((round) => round.one);
  const all = rounds.map((round) => round.all);
  const minPerSecond = 1000 / (LOCK_TRIPS * roundTripMs);
  const perSecond = median(one.map((round) => round.perSecond));
  const ratio = median(rounds.map((round) => round.all.perSecond / round.one.perSecond));
  printSection(`Conversations, started, accepted and closed, on one node with the database ${DISTANCE_MS} ms away`, [
    [
      ...['accounts', 'conversations/s', 'ratio', 'goal', '', 'p50 ms', 'node µs', 'PostgreSQL µs'],
      ...['busy processors'],
    ],
    [
      ...['1', perSecond.toFixed(1), '', `≥ ${minPerSecond.toFixed(1)}/s`, verdict(perSecond >= minPerSecond)],
      ...formatCosts(one),
    ],
    [
      ...[String(ACCOUNT_COUNT), median(all.map((round) => round.perSecond)).toFixed(1), ratio.toFixed(2)],
      ...[`≥ ${MIN_RATIO} × one`, verdict(ratio >= MIN_RATIO), ...formatCosts(all)],
    ],
  ]);
  console.log(
    `\nGoal of one account: 1 / (lock hold of ${LOCK_TRIPS} round trips). Measured round trip: ${roundTripMs.toFixed(2)} ms, without the proxy ${nearRoundTripMs.toFixed(2)} ms. µs: processor time per conversation.\n` +
      `Busy processors: node + PostgreSQL, of ${availableParallelism()}. In the mean of all rounds the load generator used ${result.generatorUtilization.toFixed(2)} more and the proxy ${result.proxyUtilization.toFixed(2)}.`,
  );
}

function formatCosts(rounds: readonly DistanceRound[]): string[] {
  const p50 = formatMs(median(rounds.map(({ medianMs }) => medianMs)));
  const times = rounds.flatMap(({ processorTime, perSecond }) =>
    processorTime ? [{ ...processorTime, perSecond }] : [],
  );
  if (times.length === 0) return [p50];
  const busy = (of: 'nodes' | 'postgres') => median(times.map((time) => (time[of] * time.perSecond) / 1e6)).toFixed(2);
  const [node, database] = [times.map(({ nodes }) => nodes), times.map(({ postgres }) => postgres)];
  return [p50, formatInteger(median(node)), formatInteger(median(database)), `${busy('nodes')} + ${busy('postgres')}`];
}
