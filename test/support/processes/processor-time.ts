import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { childPidsOf } from './child-processes.ts';

/** Processor time of other processes in microseconds, read from `/proc`: for Linux only. */

/** Of a process and all processes below it, including those that have exited and were waited for. */
export function readTreeTime(pid: number): number {
  const { self, exited } = readStat(pid);
  return childPidsOf(pid).reduce((total, child) => total + readTreeTime(child), self + exited);
}

export function readSelfTime(pid: number): number {
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
