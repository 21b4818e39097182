import { formatInteger, formatMs, printSection, verdict } from '../tables.ts';
import type { EngineResult } from './measure.ts';
import type { SlotChangeResult } from './slot-changes.ts';

const MAX_OFFER_DELAY_MS = 50;
const MAX_SLOWDOWN = 2;

export function printEngine(result: EngineResult): void {
  const { runs, barePerSecond, syncedPerSecond, generatorUtilization, queue, assignment, slotChanges, memory } = result;
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
    `\nA bare server handles ${formatInteger(barePerSecond)} such requests/s; SQLite alone stores ${formatInteger(syncedPerSecond)} rows/s, each synced to disk before the next. Generator busy: ${Math.round(generatorUtilization * 100)} %.`,
  );
  const title = `From a free slot to the next offer, ${formatInteger(queue.operators)} operators, ${formatInteger(queue.waiting)} queued conversations, at half of the maximum rate (${queue.perSecond.toFixed(1)} conversations/s)`;
  printSection(title, [
    ['from', 'count', 'p50 ms', 'p99 ms', 'max ms', 'goal', ''],
    [
      ...[
        'close request',
        formatInteger(queue.count),
        formatMs(queue.fromRequest.p50),
        formatMs(queue.fromRequest.p99),
      ],
      ...[
        formatMs(queue.fromRequest.most),
        `p99 < ${MAX_OFFER_DELAY_MS}`,
        verdict(queue.failed === 0 && queue.fromRequest.p99 < MAX_OFFER_DELAY_MS),
      ],
    ],
    [
      ...[
        'close response',
        formatInteger(queue.count),
        formatMs(queue.fromResponse.p50),
        formatMs(queue.fromResponse.p99),
      ],
      ...[
        formatMs(queue.fromResponse.most),
        `p99 < ${MAX_OFFER_DELAY_MS}`,
        verdict(queue.failed === 0 && queue.fromResponse.p99 < MAX_OFFER_DELAY_MS),
      ],
    ],
  ]);
  if (queue.failed > 0) console.log(`\n${formatInteger(queue.failed)} steps failed: the service did not keep up.`);
  if (memory !== undefined)
    console.log(
      `\nMemory of the service: ${formatInteger(memory)} MB. Generator busy: ${Math.round(queue.generatorUtilization * 100)} %.`,
    );
  printSection('One assignment, by connected operators', [
    ['need', 'connected', 'µs', 'slowdown', 'goal', ''],
    ...assignment.map(({ need, connected, microseconds, slowdown }) => [
      ...[need, formatInteger(connected), formatInteger(microseconds), slowdown.toFixed(2)],
      ...(connected < 10_000 ? ['', ''] : [`< ${MAX_SLOWDOWN}`, verdict(slowdown < MAX_SLOWDOWN)]),
    ]),
  ]);
  printSlotChanges(slotChanges);
}

/** Also used for PostgreSQL. */
export function printSlotChanges(results: readonly SlotChangeResult[]): void {
  const [without] = results;
  printSection('Processor time of one change of a slot, by the lists that its operator is on', [
    ['lists', 'µs', 'more'],
    ...results.map(({ lists, microseconds }) => [
      formatInteger(lists),
      microseconds.toFixed(0),
      (microseconds - (without?.microseconds ?? 0)).toFixed(0),
    ]),
  ]);
}
