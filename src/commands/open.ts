import { existsSync } from 'node:fs';
import { type Installation, openInstallation } from '../app/installation.ts';
import { readConfig } from '../config.ts';
import { type Caller, fullAccessCaller } from '../core/kernel/caller.ts';
import type { Actor } from '../storage/database.ts';
import { CommandFailed } from './report.ts';
import type { Terminal } from './terminal.ts';

/** Opens the installation that the environment names, does the work on it, and closes it again. */
export async function withInstallation<T>(
  { env, console }: Terminal,
  work: (installation: Installation) => Promise<T>,
  { mayCreate = false } = {},
): Promise<T> {
  const config = readConfig(env);
  if (!mayCreate && config.databaseFile !== undefined && !existsSync(config.databaseFile)) {
    throw new CommandFailed(`There is no database at ${config.databaseFile}. The first start of the service makes it.`);
  }
  const installation = await openInstallation(config, { warn: console.error });
  try {
    return await work(installation);
  } finally {
    await installation.database.close();
  }
}

/** Who changes something by a command: whoever may open the database. */
export const COMMAND_LINE: Actor = { type: 'command_line', id: null, via: 'command_line' };

/** The command line acts for one account: the named one, or the only one. */
export async function commandLineCaller(
  { access: { accounts } }: Installation,
  named: number | undefined,
): Promise<Caller> {
  const all = await accounts.all();
  if (all.length === 0)
    throw new CommandFailed('There is no account yet. Start the service once, or run: switchboard account create');
  if (named === undefined && all.length > 1) {
    throw new CommandFailed(
      `There are ${all.length} accounts: say which one with --account. The list: switchboard account list`,
    );
  }
  const account = named === undefined ? all[0] : all.find(({ id }) => id === named);
  if (!account) throw new CommandFailed(`There is no account ${named}. The list: switchboard account list`);
  return fullAccessCaller(account.id, COMMAND_LINE);
}
