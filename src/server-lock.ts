import { readFileSync, rmSync, writeFileSync } from 'node:fs';

/** A note beside the database of the process that serves it, so that nobody replaces the file under it. */
export function noteServer(databaseFile: string): () => void {
  const file = noteOf(databaseFile);
  writeFileSync(file, String(process.pid));
  return () => {
    if (isServedBy(databaseFile) === process.pid) rmSync(file, { force: true });
  };
}

/** The process that serves this database, if it is alive. */
export function isServedBy(databaseFile: string): number | undefined {
  try {
    const pid = Number(readFileSync(noteOf(databaseFile), 'utf8'));
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM' ? -1 : undefined;
  }
}

function noteOf(databaseFile: string): string {
  return `${databaseFile}.pid`;
}
