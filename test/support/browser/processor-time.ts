import type { Browser } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** In microseconds: the start, the duration, and the time of the processor within it. */
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args: { readonly data?: { readonly url?: string } };
}

const CATEGORIES = ['devtools.timeline', 'v8', 'disabled-by-default-devtools.timeline'];
const TASK = 'RunTask';

/**
 * The longest task of the main thread that ran scripts of the service while `work` ran, in milliseconds: the time of the
 * processor, not that of the clock, so that other programs on the machine do not change it.
 */
export async function findLongestScriptTask(
  browser: Browser,
  service: string,
  work: () => Promise<void>,
): Promise<number> {
  await browser.startTracing(undefined, { categories: CATEGORIES });
  let trace: Buffer;
  try {
    await work();
  } finally {
    trace = await browser.stopTracing();
  }
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const scripts = traceEvents.filter(({ args }) => args.data?.url?.startsWith(service));
  const tasks = traceEvents.filter((task) => task.name === TASK && scripts.some((script) => contains(task, script)));
  if (tasks.length === 0) throw new Error('The trace has no script of the service.');
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}

function contains(task: TraceEvent, { pid, tid, ts }: TraceEvent): boolean {
  return task.pid === pid && task.tid === tid && task.ts <= ts && ts <= task.ts + (task.dur ?? 0);
}
