import { existsSync } from 'node:fs';
import { type Installation, openInstallation } from '../app/installation.ts';
import { readConfig } from '../config.ts';
import { type Caller, fullAccessCaller } from '../core/kernel/caller.ts';
import type { Actor } from '../storage/database.ts';
import { CommandFailed } from './report.ts';
import type { Terminal } from './terminal.ts';

/** Opens the installation configured in the environment for the duration of `work`. */
export async function withInstallation<T>(
  { env, console }: Terminal,
  work: (installation: Installation) => Promise<T>,
  { canCreate = false } = {},
): Promise<T> {
  const config = readConfig(env);
  if (!canCreate && config.databaseFile !== undefined && !existsSync(config.databaseFile)) {
    throw new CommandFailed(
      `There is no database at ${config.databaseFile}. The first start of the service creates it.`,
    );
  }
  const installation = await openInstallation(config, { warn: console.error });
  try {
    return await work(installation);
  } finally {
    await installation.database.close();
  }
}

/** The actor of changes made by commands: anyone who can open the database. */
export const COMMAND_LINE: Actor = { type: 'command_line', id: null, via: 'command_line' };

/** Returns a caller for the given account, or for the only one. */
export async function findCommandLineCaller(
  { access: { accounts } }: Installation,
  accountId: number | undefined,
): Promise<Caller> {
  const existingAccounts = await accounts.list();
  if (existingAccounts.length === 0)
    throw new CommandFailed('There is no account yet. Start the service once, or run: switchboard account create');
  if (accountId === undefined && existingAccounts.length > 1) {
    throw new CommandFailed(
      `There are ${existingAccounts.length} accounts: choose one with --account. To list them, run: switchboard account list`,
    );
  }
  const account = accountId === undefined ? existingAccounts[0] : existingAccounts.find(({ id }) => id === accountId);
  if (!account)
    throw new CommandFailed(`There is no account ${accountId}. To list accounts, run: switchboard account list`);
  return fullAccessCaller(account.id, COMMAND_LINE);
}
