import { loadavg } from 'node:os';
import { formatInteger, formatMs, printSection, verdict } from '../tables.ts';
import type { FirstView } from './first-view.ts';
import type { DeskResult } from './measure.ts';
import { MESSAGES_PER_SECOND } from './typing.ts';

const MAX_BYTES = 200_000;
const MAX_USABLE_MS = 1000;
const MAX_HINDRANCE_MS = 50;
const MAX_ARRIVAL_MS = 100;
/** Of the intended rate. */
const ENOUGH = 0.95;
const HEAD = ['figure', 'measured', 'goal', ''];

export function printDesk({ conversations, firstView, conversationView, arrivals, typing }: DeskResult): void {
  const row = (figure: string, value: number, goal: number, unit: 'ms' | 'kB') => {
    const format = (each: number) => (unit === 'kB' ? `${(each / 1000).toFixed(1)} kB` : `${formatMs(each)} ms`);
    return [figure, format(value), `≤ ${format(goal)}`, verdict(value <= goal)];
  };
  const printView = (title: string, view: FirstView) => {
    printSection(`${title}, empty cache, ${conversations.atFirstView} conversations, ${view.views} times`, [
      HEAD,
      row('transferred, without the font', view.bytesWithoutFont, MAX_BYTES, 'kB'),
      row('transferred, with the font', view.bytes, MAX_BYTES, 'kB'),
      row('until the rail and the presence are shown, median', view.medianMs, MAX_USABLE_MS, 'ms'),
      row('the same, longest', view.mostMs, MAX_USABLE_MS, 'ms'),
    ]);
    const largest = view.largest.map(([path, bytes]) => `${path} ${(bytes / 1000).toFixed(1)} kB`);
    console.log(`\nMost of it: ${largest.join(', ')}. Loaded later: ${(view.laterBytes / 1000).toFixed(1)} kB.`);
  };
  printView('First view of the desk in Chromium', firstView);
  printView('First view with a conversation', conversationView);
  printSection(
    `From a visitor's message to the operator's document, idle desk, ${formatInteger(arrivals.messages)} messages`,
    [
      HEAD,
      row('p50', arrivals.p50, MAX_ARRIVAL_MS, 'ms'),
      row('p95', arrivals.p95, MAX_ARRIVAL_MS, 'ms'),
      row('longest', arrivals.most, MAX_ARRIVAL_MS, 'ms'),
    ],
  );
  const keys = typing.keys.toSorted((first, second) => first - second);
  const keyAt = (share: number) => keys[Math.floor(keys.length * share)] ?? 0;
  printSection(
    `Typing with ${conversations.open} open conversations while ${formatInteger(typing.perSecond)} messages arrive per second`,
    [
      HEAD,
      row('longest task (none above 50 ms: 0)', Math.max(0, ...typing.longTasks), MAX_HINDRANCE_MS, 'ms'),
      row('from key to paint, longest', keys.at(-1) ?? 0, MAX_HINDRANCE_MS, 'ms'),
      row('from key to paint, p95', keyAt(0.95), MAX_HINDRANCE_MS, 'ms'),
      row('from key to paint, p50', keyAt(0.5), MAX_HINDRANCE_MS, 'ms'),
    ],
  );
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  const { TaskDuration, ScriptDuration, LayoutDuration, RecalcStyleDuration } = typing.mainThread;
  console.log(
    `\n${typing.longTasks.length} tasks above 50 ms, ${keys.length} keys. Main thread of the page busy ` +
      `${percent(TaskDuration)}: scripts ${percent(ScriptDuration)}, layout ${percent(LayoutDuration)}, ` +
      `styles ${percent(RecalcStyleDuration)}.\nThe last message was shown after ${formatMs(typing.lastArrivalMs)} ms; ` +
      `${formatInteger(typing.failed)} were refused. Load of the machine: ${loadavg()[0]?.toFixed(1)}.`,
  );
  if (typing.perSecond < MESSAGES_PER_SECOND * ENOUGH)
    console.log(
      `\nBelow ${MESSAGES_PER_SECOND} messages per second: the figures of typing say nothing about its goals.`,
    );
}
