import { formatInteger, formatMs, printSection, verdict } from '../tables.ts';
import type { PeerResult, SideResult } from './measure.ts';

export function printPeers(results: readonly PeerResult[]): void {
  printSection('Compared with programs for the same work, on the same data: the ratio of requests per second', [
    [
      ...['case', 'compared with', 'database', 'ratio', 'goal', '', 'service/s', 'peer/s'],
      ...['service p50 ms', 'peer p50 ms', 'service µs', 'peer µs', 'CPU ratio'],
    ],
    ...results.map(({ title, peer, database, ratio, processorRatio, goal, service, other }) => [
      ...[title, peer, database, ratio.toFixed(2)],
      ...(goal === undefined ? ['', ''] : [`≥ ${goal}`, verdict(ratio >= goal)]),
      ...[formatInteger(service.perSecond), formatInteger(other.perSecond)],
      ...[formatMs(service.medianMs), formatMs(other.medianMs)],
      ...[formatTime(service), formatTime(other), processorRatio?.toFixed(2) ?? ''],
    ]),
  ]);
  if (results.length === 0) return;
  const busiest = Math.max(...results.flatMap(({ service, other }) => [service, other]).map(toUtilization));
  console.log(
    '\nPostGraphile reads the same PostgreSQL database and checks no permission; Parse Server has the operators in its own database of the same server, and is asked with its master key; json-server has them in memory.\n' +
      `µs: processor time per request, of the program + of PostgreSQL; CPU ratio: that of the peer, divided by that of the service. Generator busy: at most ${Math.round(busiest * 100)} %.`,
  );
}

function formatTime({ processorTime }: SideResult): string {
  if (!processorTime) return '';
  return `${formatInteger(processorTime.nodes)} + ${formatInteger(processorTime.postgres)}`;
}

function toUtilization({ generatorUtilization }: SideResult): number {
  return generatorUtilization;
}
