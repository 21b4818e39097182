import { parentPort, workerData } from 'node:worker_threads';
import { SqliteConnection } from './connection.ts';
import type { SlowRead, SlowReadResult } from './slow-reads.ts';

/** Checks are a few milliseconds apart: a longer interval means that the process was stalled. */
const MAX_CHECK_INTERVAL_MS = 250;

let remainingMs = 0;
let checkedAt = 0;
let now = 0;
const connection = new SqliteConnection(workerData as string, {
  readOnly: true,
  clock: () => now,
  isWithinDeadline: () => {
    const previousCheckAt = checkedAt;
    checkedAt = performance.now();
    remainingMs -= Math.min(checkedAt - previousCheckAt, MAX_CHECK_INTERVAL_MS);
    if (remainingMs <= 0) throw new TooSlow();
    return true;
  },
  cacheKiB: 8 * 1024,
});

class TooSlow extends Error {}

function runRead(read: SlowRead): SlowReadResult {
  remainingMs = read.milliseconds;
  checkedAt = performance.now();
  now = read.now;
  if (remainingMs <= 0) return { tooSlow: true };
  try {
    return { rows: connection.all(read.sql, read.parameters) };
  } catch (error) {
    return error instanceof TooSlow ? { tooSlow: true } : { failed: String(error) };
  }
}

parentPort?.on('message', (read: SlowRead) => parentPort?.postMessage(runRead(read)));
