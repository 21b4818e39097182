import { runMutation } from '../api/mutation.ts';
import { graphql } from '../api/query.ts';
import type { Theme } from '../theme/theme.ts';

const PASSWORD = graphql(`
  mutation ChangePassword($input: OperatorPasswordChangeInput!) {
    operatorPasswordChange(input: $input) { userErrors { field code reason message } }
  }
`);

const SESSION_END = graphql(`
  mutation EndSession($input: SessionEndInput!) {
    sessionEnd(input: $input) { userErrors { field code reason message } }
  }
`);

const SESSIONS_END = graphql(`
  mutation EndOtherSessions($input: SessionsEndInput!) {
    sessionsEnd(input: $input) { userErrors { field code reason message } }
  }
`);

const LANGUAGE = graphql(`
  mutation ChangeLanguage($input: OperatorUpdateInput!) {
    operatorUpdate(input: $input) { userErrors { field code reason message } }
  }
`);

const THEME = graphql(`
  mutation ChangeTheme($input: PreferencesUpdateInput!) {
    preferencesUpdate(input: $input) { userErrors { field code reason message } }
  }
`);

const TWO_FACTOR_DISABLE = graphql(`
  mutation DisableTwoFactor($input: TwoFactorDisableInput!) {
    twoFactorDisable(input: $input) { userErrors { field code reason message } }
  }
`);

const RECOVERY_CODES = graphql(`
  mutation CreateRecoveryCodes($input: RecoveryCodesCreateInput!) {
    recoveryCodesCreate(input: $input) { recoveryCodes userErrors { field code reason message } }
  }
`);

/** What proves that the operator, and not only someone at their screen, makes a change. */
export interface Proof {
  readonly currentPassword: string;
  /** Of the authenticator app, or a recovery code. */
  readonly code: string;
}

export const changePassword = (input: { readonly currentPassword: string; readonly newPassword: string }) =>
  runMutation(PASSWORD, { input });

export const endSession = (id: string) => runMutation(SESSION_END, { input: { id } });

export const endOtherSessions = () => runMutation(SESSIONS_END, { input: {} });

export const changeLanguage = (id: string, languageAdmin: string) =>
  runMutation(LANGUAGE, { input: { id, languageAdmin } });

export const changeTheme = (theme: Theme) => runMutation(THEME, { input: { theme } });

export const disableTwoFactor = (proof: Proof) => runMutation(TWO_FACTOR_DISABLE, { input: { ...proof } });

export const createRecoveryCodes = (proof: Proof) => runMutation(RECOVERY_CODES, { input: { ...proof } });
