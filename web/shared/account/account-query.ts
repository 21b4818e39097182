import { graphql, runQuery } from '../api/query.ts';
import { type Answer, succeed } from '../api/request.ts';
import type { Theme } from '../theme/theme.ts';

const accountQuery = graphql(`
  query Account {
    viewer {
      preferences { theme }
      twoFactor { isEnabled isRequired enabledAt recoveryCodesLeft }
      sessions { id createdAt lastUsedAt device address isCurrent }
      failedLogins { at address device reason }
    }
  }
`);

export interface BrowserSession {
  readonly id: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  /** The user agent. */
  readonly device: string | null;
  readonly address: string | null;
  readonly isCurrent: boolean;
}

export interface FailedLogin {
  readonly at: string;
  readonly address: string;
  readonly device: string | null;
  readonly reason: 'WRONG_PASSWORD' | 'WRONG_CODE';
}

export interface TwoFactorState {
  readonly isEnabled: boolean;
  readonly isRequired: boolean;
  readonly enabledAt: string | null;
  readonly recoveryCodesLeft: number | null;
}

/** What an operator sees and changes of the own account. */
export interface Account {
  readonly theme: Theme;
  readonly twoFactor: TwoFactorState;
  readonly sessions: readonly BrowserSession[];
  readonly failedLogins: readonly FailedLogin[];
}

const NO_TWO_FACTOR: TwoFactorState = { isEnabled: false, isRequired: false, enabledAt: null, recoveryCodesLeft: null };

export async function readAccount(): Promise<Answer<Account>> {
  const answer = await runQuery(accountQuery);
  if (!answer.ok) return answer;
  const { preferences, twoFactor, sessions, failedLogins } = answer.value.viewer;
  return succeed({
    theme: preferences?.theme ?? 'SYSTEM',
    twoFactor: twoFactor ?? NO_TWO_FACTOR,
    sessions: sessions ?? [],
    failedLogins: failedLogins ?? [],
  });
}
