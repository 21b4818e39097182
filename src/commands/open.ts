import { existsSync } from 'node:fs';
import { type Installation, openInstallation } from '../app/installation.ts';
import { readConfig } from '../config.ts';
import { type Caller, fullAccessCaller } from '../core/kernel/caller.ts';
import type { Actor } from '../storage/database.ts';
import { toCommandText } from './command-text.ts';
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

const MAX_LISTED_ACCOUNTS = 10;

/** Returns a caller for the given account, or for the only one. */
export async function findCommandLineCaller(
  { env }: Terminal,
  { access: { accounts } }: Installation,
  accountId: number | undefined,
): Promise<Caller> {
  if (Number.isNaN(accountId))
    throw new CommandFailed(
      `--account must be the number of an account. To list accounts, run: ${toCommandText(env, 'account list')}`,
    );
  const existingAccounts = await accounts.list();
  if (existingAccounts.length === 0)
    throw new CommandFailed(
      `There is no account yet. Start the service once, or run: ${toCommandText(env, 'account create')} --name <name> --email <address>`,
    );
  if (accountId === undefined && existingAccounts.length > 1) {
    const choices = existingAccounts.slice(0, MAX_LISTED_ACCOUNTS).map(({ id, name }) => `  --account ${id}   ${name}`);
    throw new CommandFailed(
      [
        `There are ${existingAccounts.length} accounts. Add one of:`,
        ...choices,
        ...(existingAccounts.length > choices.length
          ? [`To list all, run: ${toCommandText(env, 'account list')}`]
          : []),
      ].join('\n'),
    );
  }
  const account = accountId === undefined ? existingAccounts[0] : existingAccounts.find(({ id }) => id === accountId);
  if (!account)
    throw new CommandFailed(
      `There is no account ${accountId}. To list accounts, run: ${toCommandText(env, 'account list')}`,
    );
  return fullAccessCaller(account.id, COMMAND_LINE);
}
