import { existsSync } from 'node:fs';
import { openInstallation } from '../app/installation.ts';
import { readConfig } from '../config.ts';
import { checkInvariants } from '../core/upkeep/invariants.ts';
import { describeWork, listUnfinishedWork } from '../storage/migration-work.ts';
import { acquireServerLock } from '../storage/sqlite/server-lock.ts';
import type { Terminal } from './terminal.ts';

/** Checks the installation and lists problems. Returns 1 if there are any. */
export async function doctor({ console, env }: Terminal): Promise<number> {
  const config = readConfig(env);
  console.log('ok       configuration');
  if (config.databaseFile !== undefined && !existsSync(config.databaseFile)) {
    console.log(`nothing  ${config.databaseFile} does not exist yet; the first start creates it`);
    return 0;
  }
  let exitCode = 0;
  const report = (check: string, problems: readonly string[]) => {
    printCheck(console, check, problems);
    if (problems.length > 0) exitCode = 1;
  };
  const installation = await openInstallation(config, { warn: console.error });
  try {
    report('database', installation.database.findIntegrityProblems());
    report(
      `migrations${installation.migrated.length > 0 ? ` (just applied: ${installation.migrated.join(', ')})` : ''}`,
      [],
    );
    for (const work of await listUnfinishedWork(installation.database.read))
      console.log(`later    ${describeWork(work)}; the service does it while it runs`);
    const isRunning = isServiceRunning(config.databaseFile);
    for (const { name, problems } of await checkInvariants(installation.database, { isServiceRunning: isRunning })) {
      report(name, problems);
    }
  } finally {
    await installation.database.close();
  }
  return exitCode;
}

/** Whether a service runs on the file, that is, holds its lock. */
function isServiceRunning(databaseFile: string | undefined): boolean {
  if (databaseFile === undefined) return true; // nodes may run anywhere
  const releaseLock = acquireServerLock(databaseFile);
  releaseLock?.();
  return releaseLock === undefined;
}

function printCheck(console: Terminal['console'], check: string, problems: readonly string[]): void {
  console.log(`${problems.length === 0 ? 'ok      ' : 'PROBLEM '} ${check}`);
  for (const problem of problems.slice(0, 10)) console.log(`         ${problem}`);
  if (problems.length > 10) console.log(`         and ${problems.length - 10} more`);
}
