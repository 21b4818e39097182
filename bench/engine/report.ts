import { formatInteger, formatMs, printSection, verdict } from '../tables.ts';
import type { EngineResult } from './measure.ts';

const MAX_DRAIN_MS = 50;
const MAX_SLOWDOWN = 2;

export function printEngine(result: EngineResult): void {
  const { runs, barePerSecond, syncedPerSecond, generatorBusy, drain, assignment, memory } = result;
  printSection('Conversations: started, assigned, accepted, 4 messages, closed, end to end over GraphQL', [
    ['concurrent', 'conversations/s', 'requests/s', 'share of a bare server', 'share of synced rows', 'ms', 'p99 ms'],
    ...runs.map((run) => [
      formatInteger(run.atOnce),
      run.conversationsPerSecond.toFixed(1),
      formatInteger(run.requestsPerSecond),
      (run.requestsPerSecond / barePerSecond).toFixed(3),
      (run.requestsPerSecond / syncedPerSecond).toFixed(2),
      formatMs(run.medianMs),
      formatMs(run.p99Ms),
    ]),
  ]);
  console.log(
    `\nA bare server handles ${formatInteger(barePerSecond)} such requests/s; SQLite alone stores ${formatInteger(syncedPerSecond)} rows/s, each synced to disk before the next. Generator busy: ${Math.round(generatorBusy * 100)} %.`,
  );
  const title = `From a free slot to the next offer, ${formatInteger(drain.operators)} operators, ${formatInteger(drain.waiting)} queued conversations, at half of the maximum rate (${drain.perSecond.toFixed(1)} conversations/s)`;
  printSection(title, [
    ['from', 'count', 'p50 ms', 'p99 ms', 'max ms', 'goal', ''],
    [
      ...['close request', formatInteger(drain.count), formatMs(drain.fromAsked.p50), formatMs(drain.fromAsked.p99)],
      ...[
        formatMs(drain.fromAsked.most),
        `p99 < ${MAX_DRAIN_MS}`,
        verdict(drain.failed === 0 && drain.fromAsked.p99 < MAX_DRAIN_MS),
      ],
    ],
    [
      ...[
        'close response',
        formatInteger(drain.count),
        formatMs(drain.fromAnswered.p50),
        formatMs(drain.fromAnswered.p99),
      ],
      ...[
        formatMs(drain.fromAnswered.most),
        `p99 < ${MAX_DRAIN_MS}`,
        verdict(drain.failed === 0 && drain.fromAnswered.p99 < MAX_DRAIN_MS),
      ],
    ],
  ]);
  if (drain.failed > 0) console.log(`\n${formatInteger(drain.failed)} steps failed: the service did not keep up.`);
  if (memory !== undefined)
    console.log(
      `\nMemory of the service: ${formatInteger(memory)} MB. Generator busy: ${Math.round(drain.generatorBusy * 100)} %.`,
    );
  printSection('One assignment, by connected operators', [
    ['need', 'connected', 'µs', 'slowdown', 'goal', ''],
    ...assignment.map(({ need, connected, microseconds, times }) => [
      ...[need, formatInteger(connected), formatInteger(microseconds), times.toFixed(2)],
      ...(connected < 10_000 ? ['', ''] : [`< ${MAX_SLOWDOWN}`, verdict(times < MAX_SLOWDOWN)]),
    ]),
  ]);
}
