import { randomBytes } from 'node:crypto';
import type { Config } from '../config.ts';
import { createAccount } from '../core/administration/account-creation.ts';
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
