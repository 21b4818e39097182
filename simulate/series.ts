import { waitTimes } from './figures.ts';
import type { Entry } from './journal.ts';
import { buildTimeline, type Timeline } from './timeline.ts';

/** The course of a run over time, for the plots. */

export interface Point {
  /** Seconds from the start. */
  readonly second: number;
  readonly value: number;
}

export interface Bar {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

export interface Series {
  /** Conversations that were not accepted yet. */
  readonly queue: readonly Point[];
  /** Per second. */
  readonly started: readonly Point[];
  readonly closed: readonly Point[];
  /** Seconds that visitors waited until their conversation was accepted. */
  readonly waiting: readonly Bar[];
}

const BUCKET_COUNT = 120;
const BAR_COUNT = 24;

export function computeSeries(entries: readonly Entry[]): Series {
  const timeline = buildTimeline(entries);
  const start = entries.find(({ kind }) => kind === 'operator_created')?.at ?? 0;
  const bucket = Math.max(1, (timeline.endedAt - start) / 1000 / BUCKET_COUNT);
  const perSecond = (times: readonly number[]) => countPerSecond(times, start, timeline.endedAt, bucket);
  return {
    queue: computeQueueLength(timeline, start, bucket),
    started: perSecond([...timeline.conversations.values()].map(({ at }) => at)),
    closed: perSecond(visitorEventTimes(timeline, 'conversation.closed')),
    waiting: histogram(waitTimes(timeline, 'conversation.started').map((milliseconds) => milliseconds / 1000)),
  };
}

/** The times at which visitors received events of this type. */
function visitorEventTimes({ events }: Timeline, type: string): number[] {
  return [...events].flatMap(([participant, list]) =>
    participant.startsWith('visitor') ? list.filter((event) => event.type === type).map(({ at }) => at) : [],
  );
}

function countPerSecond(times: readonly number[], start: number, end: number, bucket: number): Point[] {
  const counts = new Array<number>(Math.ceil((end - start) / 1000 / bucket)).fill(0);
  for (const time of times) {
    const index = Math.floor((time - start) / 1000 / bucket);
    if (index in counts) counts[index] = (counts[index] ?? 0) + 1;
  }
  return counts.map((count, index) => ({ second: index * bucket, value: count / bucket }));
}

function computeQueueLength({ conversations, events, endedAt }: Timeline, start: number, bucket: number): Point[] {
  const steps: { at: number; by: number }[] = [];
  for (const { participant, conversation, at } of conversations.values()) {
    steps.push({ at, by: 1 });
    let isWaiting = true;
    for (const event of events.get(participant) ?? []) {
      if (event.conversation !== conversation) continue;
      const waitsNow: boolean =
        event.type === 'conversation.queued' ? true : WAIT_END_EVENTS.has(event.type) ? false : isWaiting;
      if (waitsNow !== isWaiting) steps.push({ at: event.at, by: waitsNow ? 1 : -1 });
      isWaiting = waitsNow;
    }
  }
  steps.sort((a, b) => a.at - b.at);
  const points: Point[] = [];
  let [value, next] = [0, 0];
  for (let second = 0; second <= (endedAt - start) / 1000; second += bucket) {
    for (; (steps[next]?.at ?? Number.POSITIVE_INFINITY) <= start + second * 1000; next += 1)
      value += steps[next]?.by ?? 0;
    points.push({ second, value });
  }
  return points;
}

const WAIT_END_EVENTS = new Set(['conversation.started', 'conversation.closed']);

function histogram(values: readonly number[]): Bar[] {
  if (values.length === 0) return [];
  const width = niceWidth(Math.max(...values) / BAR_COUNT);
  const counts = new Array<number>(Math.floor(Math.max(...values) / width) + 1).fill(0);
  for (const value of values) {
    const index = Math.floor(value / width);
    counts[index] = (counts[index] ?? 0) + 1;
  }
  return counts.map((count, index) => ({ from: index * width, to: (index + 1) * width, count }));
}

/** The smallest 1, 2 or 5 times a power of ten that is at least `min`. */
export function niceWidth(min: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(min, 1e-6)));
  return ([1, 2, 5, 10].find((step) => step * power >= min) ?? 10) * power;
}
