import { existsSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';

/** A file system in memory, on Linux. */
const MEMORY = '/dev/shm';
/** What the data of a run takes, and as much again for everything else. */
const MIN_FREE_MEMORY = 4 * 2 ** 30;

/** The folder of a test run, which is removed at its end. */
export const DATA_FOLDER_VARIABLE = 'TEST_DATA_FOLDER';

/** A folder for databases that need not be durable, in memory where there is room: each write flushes a disk. */
export function findDataFolder(): string {
  return hasFreeMemory() ? MEMORY : tmpdir();
}

/** Where a test puts its databases. */
export function runDataFolder(): string {
  return process.env[DATA_FOLDER_VARIABLE] ?? tmpdir();
}

function hasFreeMemory(): boolean {
  if (process.platform !== 'linux' || !existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return Math.min(bavail * bsize, freemem()) > MIN_FREE_MEMORY;
}
