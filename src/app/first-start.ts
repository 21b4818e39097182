import { randomBytes } from 'node:crypto';
import type { Config } from '../config.ts';
import { createAccount } from '../core/administration/account-creation.ts';
import type { Installation } from './installation.ts';

export interface FirstLogin {
  readonly email: string;
  /** Like `apiKey`, undefined if it is set in the configuration. */
  readonly password: string | undefined;
  readonly apiKey: string | undefined;
  /** The address of the first website. */
  readonly websiteUrl: string | undefined;
}

const DEFAULT_EMAIL = 'admin@example.com';

interface FirstAccountOptions {
  /** False if other websites follow, for example those of the demo data. */
  readonly withWebsite?: boolean;
}

/** On an empty database, creates one account, admin and API key. Returns undefined if an account exists. */
export async function createFirstAccount(
  installation: Installation,
  config: Config,
  { withWebsite = false }: FirstAccountOptions = {},
): Promise<FirstLogin | undefined> {
  if ((await installation.access.accounts.list()).length > 0) return undefined;
  const email = config.SWITCHBOARD_ADMIN_EMAIL ?? DEFAULT_EMAIL;
  const password = config.SWITCHBOARD_ADMIN_PASSWORD ?? randomBytes(12).toString('base64url');
  const account = await createAccount(installation, {
    name: 'Switchboard',
    admin: { email, password },
    ...(config.SWITCHBOARD_API_KEY === undefined ? {} : { apiKey: config.SWITCHBOARD_API_KEY }),
    ...(withWebsite && { websiteUrl: getServiceUrl(config) }),
    onlyIfEmpty: true,
  });
  if (!account) return undefined;
  return {
    email,
    password: config.SWITCHBOARD_ADMIN_PASSWORD === undefined ? password : undefined,
    apiKey: config.SWITCHBOARD_API_KEY === undefined ? account.apiKey : undefined,
    websiteUrl: withWebsite ? getServiceUrl(config) : undefined,
  };
}

/** The address of the service as a browser on this machine, or the configured one, sees it. */
function getServiceUrl({ SWITCHBOARD_PUBLIC_URL, SWITCHBOARD_TLS_CERT, PORT }: Config): string {
  if (SWITCHBOARD_PUBLIC_URL !== undefined) return SWITCHBOARD_PUBLIC_URL;
  const scheme = SWITCHBOARD_TLS_CERT === undefined ? 'http' : 'https';
  return PORT === 0 ? `${scheme}://localhost` : `${scheme}://localhost:${PORT}`;
}
