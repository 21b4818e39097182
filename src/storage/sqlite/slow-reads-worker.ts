import { parentPort, workerData } from 'node:worker_threads';
import { SqliteConnection } from './connection.ts';
import type { SlowRead, SlowReadAnswer } from './slow-reads.ts';

/** Between two looks it is a few milliseconds: more than this was a standstill. */
const MAX_POLL_MS = 250;

let left = 0;
let lookedAt = 0;
let now = 0;
const connection = new SqliteConnection(workerData as string, {
  readOnly: true,
  clock: () => now,
  withinDeadline: () => {
    const lookedBefore = lookedAt;
    lookedAt = performance.now();
    left -= Math.min(lookedAt - lookedBefore, MAX_POLL_MS);
    if (left <= 0) throw new TooSlow();
    return true;
  },
  cacheKiB: 8 * 1024,
});

class TooSlow extends Error {}

function answer(read: SlowRead): SlowReadAnswer {
  left = read.milliseconds;
  lookedAt = performance.now();
  now = read.now;
  if (left <= 0) return { tooSlow: true };
  try {
    return { rows: connection.all(read.sql, read.parameters) };
  } catch (error) {
    return error instanceof TooSlow ? { tooSlow: true } : { failed: String(error) };
  }
}

parentPort?.on('message', (read: SlowRead) => parentPort?.postMessage(answer(read)));
