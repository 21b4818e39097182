import type { KeyAccess } from '../core/access/api-keys.ts';
import { parseId } from '../core/kernel/ids.ts';
import { toCommandText } from './command-text.ts';
import { findCommandLineCaller, withInstallation } from './open.ts';
import { CommandFailed } from './report.ts';
import { formatTable, formatTime } from './table.ts';
import type { Terminal } from './terminal.ts';

const DAY_MS = 24 * 3600 * 1000;
const MAX_DAYS = 36_500; // far below the maximum of a JavaScript date

interface AccountOption {
  readonly account?: number;
}

export async function createKey(
  terminal: Terminal,
  options: AccountOption & { name: string; access: KeyAccess; days?: string },
): Promise<void> {
  const days = options.days === undefined ? undefined : parseId(options.days);
  if (options.days !== undefined && !(days !== undefined && days <= MAX_DAYS))
    throw new CommandFailed(`--days must be a whole number from 1 to ${MAX_DAYS}.`);
  await withInstallation(terminal, async (installation) => {
    const caller = await findCommandLineCaller(terminal, installation, options.account);
    const { key, secret } = await installation.database.transaction(
      (tx) =>
        installation.access.apiKeys.create(tx, caller, {
          name: options.name,
          access: options.access,
          expiresAt: days === undefined ? null : tx.now + days * DAY_MS,
        }),
      caller.accountId,
    );
    terminal.console.log(`Key ${key.id} (${key.access}), shown only once:\n\n  ${secret}\n`);
  });
}

export async function listKeys(terminal: Terminal, options: AccountOption): Promise<void> {
  await withInstallation(terminal, async (installation) => {
    const caller = await findCommandLineCaller(terminal, installation, options.account);
    const rows = (await installation.access.apiKeys.list(caller)).map((key) => [
      String(key.id),
      key.name,
      `${key.prefix}…`,
      key.access,
      formatTime(key.createdAt),
      formatTime(key.expiresAt),
      formatTime(key.lastUsedAt),
      formatTime(key.revokedAt),
    ]);
    terminal.console.log(
      formatTable(['id', 'name', 'key', 'access', 'created', 'expires', 'last used', 'revoked'], rows),
    );
  });
}

export async function revokeKey(terminal: Terminal, idText: string, options: AccountOption): Promise<void> {
  const id = parseId(idText);
  if (id === undefined)
    throw new CommandFailed(
      `${idText} is not the id of a key. To list keys, run: ${toCommandText(terminal.env, 'key list')}`,
    );
  await withInstallation(terminal, async (installation) => {
    const caller = await findCommandLineCaller(terminal, installation, options.account);
    await installation.database.transaction(
      (tx) => installation.access.apiKeys.revoke(tx, caller, id),
      caller.accountId,
    );
    terminal.console.log(`Key ${id} is revoked. Running nodes reject it within a second.`);
  });
}
