import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { childPidsOf } from '../test/support/processes/child-processes.ts';

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

/** Includes child processes. The main process reports the time of children that have exited. */
function readTreeTime(pid: number): number {
  const { exited } = readStat(pid);
  return childPidsOf(pid).reduce((total, child) => total + readSelfTime(child), readSelfTime(pid) + exited);
}

function readSelfTime(pid: number): number {
  return readStat(pid).self;
}

function readStat(pid: number): { self: number; exited: number } {
  const perSecond = readTicksPerSecond();
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The program name is in parentheses and may contain anything; the state follows as the third field.
    const [user = 0, system = 0, exitedUser = 0, exitedSystem = 0] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 15)
      .map((ticks) => (Number(ticks) * 1_000_000) / perSecond);
    return { self: user + system, exited: exitedUser + exitedSystem };
  } catch {
    return { self: 0, exited: 0 }; // it has exited in the meantime
  }
}

let cachedTicksPerSecond: number | undefined;

function readTicksPerSecond(): number {
  cachedTicksPerSecond ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  return cachedTicksPerSecond;
}
