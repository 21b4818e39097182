import type { Database } from '../../storage/database.ts';
import { Accounts } from './accounts.ts';
import { ApiKeys } from './api-keys.ts';
import { FailedLogins } from './failed-logins.ts';
import { IdempotencyKeys } from './idempotency.ts';
import { Login } from './login.ts';
import { LoginLimits } from './login-limits.ts';
import { OwnPassword } from './own-password.ts';
import { type HashCost, Passwords } from './passwords.ts';
import type { InstallationSecrets } from './secrets.ts';
import { Sessions } from './sessions.ts';
import { SingleSignOn } from './single-sign-on.ts';
import { TokenCallers } from './token-callers.ts';
import { Tokens } from './tokens.ts';
import { SecondFactors } from './two-factor/second-factors.ts';
import { TwoFactor } from './two-factor/two-factor.ts';
import { TwoFactorQuery } from './two-factor/two-factor-query.ts';

/** Authentication, credentials and rate limits. */
export type Access = ReturnType<typeof createAccess>;

export function createAccess(database: Database, secrets: InstallationSecrets, hashCost?: HashCost) {
  const passwords = new Passwords(hashCost);
  const limits = new LoginLimits(database, secrets);
  const tokens = new Tokens(database);
  const ownPassword = new OwnPassword({ database, limits, passwords });
  const secondFactors = new SecondFactors(secrets, limits);
  const failedLogins = new FailedLogins(database, secrets);
  const tokenCallers = new TokenCallers(database, tokens);
  return {
    secrets,
    passwords,
    limits,
    tokens,
    ownPassword,
    tokenCallers,
    failedLogins,
    sessions: new Sessions(database, tokenCallers),
    accounts: new Accounts(database),
    apiKeys: new ApiKeys(database),
    login: new Login({ database, limits, passwords, tokens, failedLogins, secondFactors }),
    secondFactors,
    twoFactor: new TwoFactor({ database, secrets, limits, ownPassword, secondFactors }),
    twoFactorQuery: new TwoFactorQuery(database),
    singleSignOn: new SingleSignOn({ database, secrets, limits, tokens }),
    idempotency: new IdempotencyKeys(database, secrets),
  };
}
