import { setTimeout } from 'node:timers/promises';
import type postgres from 'postgres';

/** Repeatedly measures how long a trivial query takes, which shows how much CPU the database gets. */
export interface LatencyProbe {
  /** The longest query that was running at any time between two moments. */
  maxLatencyMs(from: number, to: number): number;
  stop(): Promise<void>;
}

const PROBE_INTERVAL_MS = 20;

export function startLatencyProbe(sql: postgres.Sql): LatencyProbe {
  const samples: { readonly from: number; readonly to: number }[] = [];
  let isStopped = false;
  const running = (async () => {
    while (!isStopped) {
      const from = performance.now();
      await sql`select 1`;
      samples.push({ from, to: performance.now() });
      await setTimeout(PROBE_INTERVAL_MS);
    }
  })();
  return {
    maxLatencyMs: (from, to) =>
      Math.max(
        0,
        ...samples.filter((sample) => sample.from < to && sample.to > from).map((beat) => beat.to - beat.from),
      ),
    stop: async () => {
      isStopped = true;
      await running;
    },
  };
}
