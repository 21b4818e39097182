import { randomBytes } from 'node:crypto';
import type { Config } from '../config.ts';
import { PLATFORM } from '../core/access/accounts.ts';
import { allPowerful, SYSTEM } from '../core/kernel/caller.ts';
import { validate } from '../core/kernel/validate.ts';
import { operatorCreate } from '../core/operators/operator.ts';
import type { Actor } from '../storage/database.ts';
import type { Installation } from './installation.ts';

export interface FirstLogin {
  readonly email: string;
  /** Only what was made here; what the configuration gave is known already. */
  readonly password: string | undefined;
  readonly apiKey: string | undefined;
}

const DEFAULT_EMAIL = 'admin@example.com';

/** On an empty database: one account, one admin, one API key. Undefined where something is stored already. */
export async function firstStart(installation: Installation, config: Config): Promise<FirstLogin | undefined> {
  if ((await installation.access.accounts.all()).length > 0) return undefined;
  const email = config.SWITCHBOARD_ADMIN_EMAIL ?? DEFAULT_EMAIL;
  const password = config.SWITCHBOARD_ADMIN_PASSWORD ?? randomBytes(12).toString('base64url');
  const made = await createAccount(installation, {
    name: 'Switchboard',
    admin: { email, password },
    ...(config.SWITCHBOARD_API_KEY === undefined ? {} : { apiKey: config.SWITCHBOARD_API_KEY }),
    onlyIfEmpty: true,
  });
  if (!made) return undefined;
  return {
    email,
    password: config.SWITCHBOARD_ADMIN_PASSWORD === undefined ? password : undefined,
    apiKey: config.SWITCHBOARD_API_KEY === undefined ? made.apiKey : undefined,
  };
}

export interface NewAccount {
  readonly name: string;
  readonly admin: { readonly email: string; readonly password: string };
  readonly apiKey?: string;
  /** Of several that start at once on an empty database, one makes the account. */
  readonly onlyIfEmpty?: boolean;
  /** Who makes it; the service itself if nobody is named. */
  readonly actor?: Actor;
}

/** An account with its first admin and its first key, all or nothing. */
export async function createAccount(installation: Installation, account: NewAccount) {
  const { access, administration, database } = installation;
  const { accounts, apiKeys } = access;
  const { operators } = administration;
  const input = validate(operatorCreate, { name: 'Admin', roles: ['admin'], ...account.admin });
  const passwordHash = await operators.hashPassword(input.password, input.email);
  return database.transaction(async (tx) => {
    if (account.onlyIfEmpty && !(await accounts.isEmpty(tx))) return undefined;
    const { actor = SYSTEM } = account;
    const caller = allPowerful((await accounts.create(tx, account.name, actor)).id, actor);
    await operators.createWithin(tx, caller, input, passwordHash);
    const { secret } = await apiKeys.create(tx, caller, {
      name: 'first key',
      access: 'write',
      expiresAt: null,
      ...(account.apiKey === undefined ? {} : { secret: account.apiKey }),
    });
    return { accountId: caller.accountId, apiKey: secret };
  }, PLATFORM);
}
