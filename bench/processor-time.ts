import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { childrenOf } from '../test/support/processes/child-processes.ts';

/** The processor time that others use, where the system tells it in `/proc`. */

/** Who is watched, by process. */
export interface Watched {
  readonly nodes: readonly number[];
  /** The first process of PostgreSQL; undefined where the database is inside the node. */
  readonly postgres: number | undefined;
}

/** Microseconds. */
export interface ProcessorTime {
  readonly nodes: number;
  readonly postgres: number;
}

/** A beginning; what it gives tells what was used since then. Undefined where the system does not tell. */
export function watch(watched: Watched): (() => ProcessorTime) | undefined {
  if (process.platform !== 'linux') return undefined;
  const before = usedBy(watched);
  return () => {
    const now = usedBy(watched);
    return { nodes: now.nodes - before.nodes, postgres: now.postgres - before.postgres };
  };
}

export function sum(times: readonly ProcessorTime[]): ProcessorTime {
  return times.reduce((a, b) => ({ nodes: a.nodes + b.nodes, postgres: a.postgres + b.postgres }), NOTHING);
}

/** The share of each request. */
export function each({ nodes, postgres }: ProcessorTime, requests: number): ProcessorTime {
  return { nodes: nodes / requests, postgres: postgres / requests };
}

const NOTHING: ProcessorTime = { nodes: 0, postgres: 0 };

function usedBy({ nodes, postgres }: Watched): ProcessorTime {
  return {
    nodes: nodes.reduce((total, pid) => total + own(pid), 0),
    postgres: postgres === undefined ? 0 : ofAll(postgres),
  };
}

/** With those that it has begun; what those used that have ended is told by itself. */
function ofAll(pid: number): number {
  const { ended } = read(pid);
  return childrenOf(pid).reduce((total, child) => total + own(child), own(pid) + ended);
}

function own(pid: number): number {
  return read(pid).own;
}

function read(pid: number): { own: number; ended: number } {
  const perSecond = ticksPerSecond();
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program stands in brackets and may contain anything; the state comes after it as the third field.
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 15)
      .map((ticks) => (Number(ticks) * 1_000_000) / perSecond);
    return { own: user + system, ended: endedUser + endedSystem };
  } catch {
    return { own: 0, ended: 0 }; // it has ended meanwhile
  }
}

let known: number | undefined;

function ticksPerSecond(): number {
  known ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  return known;
}
