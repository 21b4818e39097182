import { ms, section, verdict, whole } from '../tables.ts';
import type { EngineResult } from './measure.ts';

const MAX_DRAIN_MS = 50;
const MAX_TIMES = 2;

export function printEngine(result: EngineResult): void {
  const { runs, barePerSecond, syncedPerSecond, generatorBusy, drain, assignment, memory } = result;
  section('Conversations: started, assigned, accepted, 4 messages, closed, end to end by GraphQL', [
    ['at once', 'conversations/s', 'requests/s', 'of a bare server', 'of synced rows', 'ms', 'p99 ms'],
    ...runs.map((run) => [
      whole(run.atOnce),
      run.conversationsPerSecond.toFixed(1),
      whole(run.requestsPerSecond),
      (run.requestsPerSecond / barePerSecond).toFixed(3),
      (run.requestsPerSecond / syncedPerSecond).toFixed(2),
      ms(run.medianMs),
      ms(run.p99Ms),
    ]),
  ]);
  console.log(
    `\nA bare server answers ${whole(barePerSecond)} such requests/s; SQLite alone stores ${whole(syncedPerSecond)} rows/s, each synced before the next. Generator busy ${Math.round(generatorBusy * 100)} %.`,
  );
  const title = `From a free slot to the next offer, ${whole(drain.operators)} operators, ${whole(drain.waiting)} waiting, at half of the most (${drain.perSecond.toFixed(1)} conversations/s)`;
  section(title, [
    ['from', 'number', 'p50 ms', 'p99 ms', 'most ms', 'goal', ''],
    [
      ...['close asked for', whole(drain.count), ms(drain.fromAsked.p50), ms(drain.fromAsked.p99)],
      ...[
        ms(drain.fromAsked.most),
        `p99 < ${MAX_DRAIN_MS}`,
        verdict(drain.failed === 0 && drain.fromAsked.p99 < MAX_DRAIN_MS),
      ],
    ],
    [
      ...['close answered', whole(drain.count), ms(drain.fromAnswered.p50), ms(drain.fromAnswered.p99)],
      ...[
        ms(drain.fromAnswered.most),
        `p99 < ${MAX_DRAIN_MS}`,
        verdict(drain.failed === 0 && drain.fromAnswered.p99 < MAX_DRAIN_MS),
      ],
    ],
  ]);
  if (drain.failed > 0) console.log(`\n${whole(drain.failed)} steps failed: the service did not keep up.`);
  if (memory !== undefined)
    console.log(
      `\nThe service then has ${whole(memory)} MB. Generator busy ${Math.round(drain.generatorBusy * 100)} %.`,
    );
  section('One assignment, by connected operators', [
    ['asks for', 'connected', 'µs', 'times', 'goal', ''],
    ...assignment.map(({ need, connected, microseconds, times }) => [
      ...[need, whole(connected), whole(microseconds), times.toFixed(2)],
      ...(connected < 10_000 ? ['', ''] : [`< ${MAX_TIMES}`, verdict(times < MAX_TIMES)]),
    ]),
  ]);
}
