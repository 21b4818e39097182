import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** The direct children of a process, in any session. */
export function childPidsOf(pid: number): number[] {
  return process.platform === 'linux' ? childPidsFromProc(pid) : childPidsFromPs(pid);
}

function childPidsFromProc(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentPidFromProc(name) === pid)
    .map(Number);
}

function parentPidFromProc(name: string): number | undefined {
  try {
    // The program name is in parentheses and may contain any character; state and parent follow it.
    const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined; // it has ended in the meantime
  }
}

function childPidsFromPs(pid: number): number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).split('\n');
  return rows
    .map((row) => row.trim().split(/\s+/).map(Number))
    .flatMap(([id = 0, parent]) => (parent === pid ? [id] : []));
}

/** Does nothing if the process is gone. */
export function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
