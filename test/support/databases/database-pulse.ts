import { setTimeout } from 'node:timers/promises';
import type postgres from 'postgres';

/** How long a database took for nothing, again and again: that shows how much processor it gets. */
export interface DatabasePulse {
  /** The longest that it took for a question that was open at some time between two moments. */
  slowest(from: number, to: number): number;
  stop(): Promise<void>;
}

const PAUSE_MS = 20;

export function takePulse(sql: postgres.Sql): DatabasePulse {
  const beats: { readonly from: number; readonly to: number }[] = [];
  let isOver = false;
  const running = (async () => {
    while (!isOver) {
      const from = performance.now();
      await sql`select 1`;
      beats.push({ from, to: performance.now() });
      await setTimeout(PAUSE_MS);
    }
  })();
  return {
    slowest: (from, to) =>
      Math.max(0, ...beats.filter((beat) => beat.from < to && beat.to > from).map((beat) => beat.to - beat.from)),
    stop: async () => {
      isOver = true;
      await running;
    },
  };
}
