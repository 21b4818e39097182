import { DatabaseSync } from 'node:sqlite';

/**
 * Takes the place of the one server of a database file; undefined when another process has it. The operating system
 * gives the place back whenever its holder ends, however that happens.
 */
export function takeServerPlace(databaseFile: string): (() => void) | undefined {
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
