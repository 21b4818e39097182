import { parentPort, workerData } from 'node:worker_threads';
import type { SlowRead, SlowReadAnswer } from './slow-reads.ts';
import { SqliteConnection } from './sqlite-connection.ts';

let deadline = 0;
let now = 0;
const connection = new SqliteConnection(workerData as string, {
  readOnly: true,
  clock: () => now,
  withinDeadline: () => {
    if (Date.now() > deadline) throw new TooSlow();
    return true;
  },
  cacheKiB: 8 * 1024,
});

class TooSlow extends Error {}

function answer(read: SlowRead): SlowReadAnswer {
  deadline = read.deadline;
  now = read.now;
  if (Date.now() > deadline) return { tooSlow: true };
  try {
    return { rows: connection.all(read.sql, read.parameters) };
  } catch (error) {
    return error instanceof TooSlow ? { tooSlow: true } : { failed: String(error) };
  }
}

parentPort?.on('message', (read: SlowRead) => parentPort?.postMessage(answer(read)));
