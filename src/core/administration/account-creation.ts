import type { Actor, Database } from '../../storage/database.ts';
import type { Access } from '../access/access.ts';
import { PLATFORM_ACCOUNT_ID } from '../access/accounts.ts';
import { fullAccessCaller, SYSTEM } from '../kernel/caller.ts';
import { validate } from '../kernel/validate.ts';
import { operatorCreate } from '../operators/operator.ts';
import type { Administration } from './administration.ts';

export interface NewAccount {
  readonly name: string;
  readonly admin: { readonly email: string; readonly password: string };
  readonly apiKey?: string;
  /** The address of a first website, for which the admin can take conversations. */
  readonly websiteUrl?: string;
  /** When several nodes start on an empty database, only one creates the account. */
  readonly onlyIfEmpty?: boolean;
  /** Defaults to the service itself. */
  readonly actor?: Actor;
}

interface AccountServices {
  readonly database: Database;
  readonly access: Pick<Access, 'accounts' | 'apiKeys'>;
  readonly administration: Pick<Administration, 'operators' | 'websites'>;
}

const WEBSITE_LABEL = 'My website';

/** Creates an account with its first admin, API key and, on request, website, in one transaction. */
export async function createAccount({ database, access, administration }: AccountServices, account: NewAccount) {
  const { accounts, apiKeys } = access;
  const { operators, websites } = administration;
  const input = validate(operatorCreate, { name: 'Admin', roles: ['admin'], ...account.admin });
  const { actor = SYSTEM } = account;
  const platform = { accountId: PLATFORM_ACCOUNT_ID, actor };
  const passwordHash = await operators.hashPassword(platform, input.password, input.email);
  return database.transaction(async (tx) => {
    if (account.onlyIfEmpty && !(await accounts.isEmpty(tx))) return undefined;
    const caller = fullAccessCaller((await accounts.create(tx, account.name, actor)).id, actor);
    // Before the admin, who gets all websites.
    if (account.websiteUrl !== undefined)
      await websites.create((work) => work(tx), caller, { label: WEBSITE_LABEL, url: account.websiteUrl });
    await operators.createInTransaction(tx, caller, input, passwordHash);
    const { secret } = await apiKeys.create(tx, caller, {
      name: 'first key',
      access: 'write',
      expiresAt: null,
      ...(account.apiKey === undefined ? {} : { secret: account.apiKey }),
    });
    return { accountId: caller.accountId, apiKey: secret };
  }, PLATFORM_ACCOUNT_ID);
}
