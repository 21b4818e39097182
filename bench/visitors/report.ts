import { formatInteger, formatMs, printSection, verdict } from '../tables.ts';
import type { VisitorsResult } from './measure.ts';
import type { WidgetResult } from './widget.ts';

const MIN_RATIO = 1;

export function printWidget(results: readonly WidgetResult[]): void {
  printSection('GET /visitor/widget, compared with REST single reads in the same rounds', [
    [
      'operators',
      'case',
      'req/s ratio',
      'goal',
      '',
      'requests/s',
      'p99 ms',
      'CPU µs',
      'CPU ratio',
      'slowdown',
      'generator',
    ],
    ...results.map((row) => [
      formatInteger(row.operators),
      row.title,
      row.ratio.toFixed(2),
      row.hasGoal ? `≥ ${MIN_RATIO}` : '',
      row.hasGoal ? verdict(row.ratio >= MIN_RATIO) : '',
      formatInteger(row.perSecond),
      formatMs(row.p99Ms),
      row.processorTime ? row.processorTime.microseconds.toFixed(1) : '',
      row.processorTime ? row.processorTime.ratio.toFixed(2) : '',
      row.slowdown.toFixed(2),
      `${Math.round(row.generatorUtilization * 100)} %`,
    ]),
  ]);
}

export function printVisitors(result: VisitorsResult): void {
  const { sockets, before, after, operators, count, failed, perSecond, atDesk, generatorUtilization } = result;
  const toMb = (bytes: number) => (bytes / 1e6).toFixed(1);
  const perSocket = (after.used - before.used) / sockets / 1000;
  printSection(
    `Memory with ${formatInteger(sockets)} visitor sockets, each with a subscription, after a garbage collection`,
    [
      ['memory', 'MB without', 'MB with', 'kB per socket'],
      ['heap and external', toMb(before.used), toMb(after.used), perSocket.toFixed(1)],
      // Not per socket: the process keeps what earlier requests needed, and the sockets reuse it.
      ['resident', toMb(before.resident), toMb(after.resident), ''],
    ],
  );
  const title = `From a visitor's message to the event at the desk, ${formatInteger(operators)} desks, all sockets open`;
  printSection(title, [
    ['messages/s', 'count', 'p50 ms', 'p99 ms', 'max ms'],
    [perSecond.toFixed(1), formatInteger(count), formatMs(atDesk.p50), formatMs(atDesk.p99), formatMs(atDesk.most)],
  ]);
  if (failed > 0) console.log(`\n${formatInteger(failed)} messages did not arrive: the service did not keep up.`);
  console.log(`\nGenerator busy: ${Math.round(generatorUtilization * 100)} %.`);
}
