import { waits } from './figures.ts';
import type { Entry } from './journal.ts';
import { type Timeline, timelineOf } from './timeline.ts';

/** What a run looked like over time, for the plots. */

export interface Point {
  /** Seconds from the opening. */
  readonly second: number;
  readonly value: number;
}

export interface Bar {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

export interface Series {
  /** Conversations that nobody had accepted yet. */
  readonly queue: readonly Point[];
  /** Per second. */
  readonly started: readonly Point[];
  readonly closed: readonly Point[];
  /** Seconds that visitors waited until somebody took it. */
  readonly waiting: readonly Bar[];
}

const BUCKETS = 120;
const BARS = 24;

export function seriesOf(entries: readonly Entry[]): Series {
  const timeline = timelineOf(entries);
  const start = entries.find(({ kind }) => kind === 'hired')?.at ?? 0;
  const bucket = Math.max(1, (timeline.endedAt - start) / 1000 / BUCKETS);
  const perSecond = (times: readonly number[]) => bucketed(times, start, timeline.endedAt, bucket);
  return {
    queue: queueOver(timeline, start, bucket),
    started: perSecond([...timeline.started.values()].map(({ at }) => at)),
    closed: perSecond(toldTo(timeline, 'conversation.closed')),
    waiting: histogram(waits(timeline, 'conversation.started').map((milliseconds) => milliseconds / 1000)),
  };
}

/** Times at which visitors were told something. */
function toldTo({ told }: Timeline, type: string): number[] {
  return [...told].flatMap(([who, events]) =>
    who.startsWith('visitor') ? events.filter((event) => event.type === type).map(({ at }) => at) : [],
  );
}

function bucketed(times: readonly number[], start: number, end: number, bucket: number): Point[] {
  const counts = new Array<number>(Math.ceil((end - start) / 1000 / bucket)).fill(0);
  for (const time of times) {
    const index = Math.floor((time - start) / 1000 / bucket);
    if (index in counts) counts[index] = (counts[index] ?? 0) + 1;
  }
  return counts.map((count, index) => ({ second: index * bucket, value: count / bucket }));
}

function queueOver({ started, told, endedAt }: Timeline, start: number, bucket: number): Point[] {
  const steps: { at: number; by: number }[] = [];
  for (const { who, conversation, at } of started.values()) {
    steps.push({ at, by: 1 });
    let waits = true;
    for (const event of told.get(who) ?? []) {
      if (event.conversation !== conversation) continue;
      const now: boolean = event.type === 'conversation.queued' ? true : ENDS_WAITING.has(event.type) ? false : waits;
      if (now !== waits) steps.push({ at: event.at, by: now ? 1 : -1 });
      waits = now;
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

const ENDS_WAITING = new Set(['conversation.started', 'conversation.closed']);

function histogram(values: readonly number[]): Bar[] {
  if (values.length === 0) return [];
  const width = niceWidth(Math.max(...values) / BARS);
  const counts = new Array<number>(Math.floor(Math.max(...values) / width) + 1).fill(0);
  for (const value of values) {
    const index = Math.floor(value / width);
    counts[index] = (counts[index] ?? 0) + 1;
  }
  return counts.map((count, index) => ({ from: index * width, to: (index + 1) * width, count }));
}

/** 1, 2 or 5 times a power of ten, and not less. */
export function niceWidth(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1e-6)));
  return ([1, 2, 5, 10].find((step) => step * power >= least) ?? 10) * power;
}
