import { existsSync } from 'node:fs';
import { openInstallation } from '../app/installation.ts';
import { readConfig } from '../config.ts';
import { findBrokenInvariants } from '../core/upkeep/invariants.ts';
import { takeServerPlace } from '../storage/sqlite/server-lock.ts';
import type { Terminal } from './terminal.ts';

/** Looks at everything that must hold and says what does not. Ends with 1 when something is wrong. */
export async function doctor({ console, env }: Terminal): Promise<number> {
  const config = readConfig(env);
  console.log('ok       configuration');
  if (config.databaseFile !== undefined && !existsSync(config.databaseFile)) {
    console.log(`nothing  ${config.databaseFile} does not exist yet; the first start makes it`);
    return 0;
  }
  let exitCode = 0;
  const report = (what: string, problems: readonly string[]) => {
    show(console, what, problems);
    if (problems.length > 0) exitCode = 1;
  };
  const installation = await openInstallation(config, { warn: console.error });
  try {
    report('database', installation.database.integrityProblems());
    report(
      `migrations${installation.migrated.length > 0 ? ` (applied now: ${installation.migrated.join(', ')})` : ''}`,
      [],
    );
    const served = isServed(config.databaseFile);
    for (const { name, problems } of await findBrokenInvariants(installation.database, { served })) {
      report(name, problems);
    }
  } finally {
    await installation.database.close();
  }
  return exitCode;
}

/** Whether a service runs on the file: its place is taken. */
function isServed(databaseFile: string | undefined): boolean {
  if (databaseFile === undefined) return true; // nodes may run anywhere
  const leave = takeServerPlace(databaseFile);
  leave?.();
  return leave === undefined;
}

function show(console: Terminal['console'], what: string, problems: readonly string[]): void {
  console.log(`${problems.length === 0 ? 'ok      ' : 'PROBLEM '} ${what}`);
  for (const problem of problems.slice(0, 10)) console.log(`         ${problem}`);
  if (problems.length > 10) console.log(`         and ${problems.length - 10} more`);
}
