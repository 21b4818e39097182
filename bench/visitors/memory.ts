import { existsSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** In bytes, after a garbage collection. */
export interface ServiceMemory {
  readonly resident: number;
  /** The heap, and what it refers to outside. */
  readonly used: number;
}

export interface MeasuredProcess {
  readonly pid: number;
  /** Where it writes its memory. */
  readonly file: string;
}

const MAX_WAIT_MS = 20_000;

/** Reads the memory of a `measured-service.ts`. */
export async function readServiceMemory({ pid, file }: MeasuredProcess): Promise<ServiceMemory> {
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (const end = performance.now() + MAX_WAIT_MS; !existsSync(file); await wait(20))
    if (performance.now() > end) throw new Error('The service does not report its memory.');
  return JSON.parse(readFileSync(file, 'utf8')) as ServiceMemory;
}
