import { readSelfTime, readTreeTime } from '../test/support/processes/processor-time.ts';

/** Processor time of other processes, read from `/proc`. */

/** The ids of the watched processes. */
export interface WatchedProcesses {
  readonly nodes: readonly number[];
  /** The main process of PostgreSQL; undefined for the embedded database. */
  readonly postgres: number | undefined;
}

/** In microseconds. */
export interface ProcessorTime {
  readonly nodes: number;
  readonly postgres: number;
}

/** Returns a function that reads the time used since this call. Undefined on systems without `/proc`. */
export function watchProcessorTime(watched: WatchedProcesses): (() => ProcessorTime) | undefined {
  if (process.platform !== 'linux') return undefined;
  const before = readTotal(watched);
  return () => {
    const now = readTotal(watched);
    return { nodes: now.nodes - before.nodes, postgres: now.postgres - before.postgres };
  };
}

export function sumTimes(times: readonly ProcessorTime[]): ProcessorTime {
  return times.reduce((a, b) => ({ nodes: a.nodes + b.nodes, postgres: a.postgres + b.postgres }), ZERO);
}

export function dividePerRequest({ nodes, postgres }: ProcessorTime, requests: number): ProcessorTime {
  return { nodes: nodes / requests, postgres: postgres / requests };
}

const ZERO: ProcessorTime = { nodes: 0, postgres: 0 };

function readTotal({ nodes, postgres }: WatchedProcesses): ProcessorTime {
  return {
    nodes: nodes.reduce((total, pid) => total + readSelfTime(pid), 0),
    postgres: postgres === undefined ? 0 : readTreeTime(postgres),
  };
}
