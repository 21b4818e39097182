import { DatabaseSync } from 'node:sqlite';

/**
 * Locks a database file for one server. Returns a function that releases the lock; undefined if another process holds
 * it. The operating system releases the lock when the process ends, however that happens.
 */
export function acquireServerLock(databaseFile: string): (() => void) | undefined {
  const lock = new DatabaseSync(`${databaseFile}.lock`);
  try {
    lock.exec('pragma journal_mode = memory; begin exclusive');
    return () => lock.close();
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
}

const SQLITE_BUSY = 5;
