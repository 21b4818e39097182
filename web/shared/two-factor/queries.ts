import { graphql } from '../api/query.ts';

/** Without the password for an operator who must set up two-factor before anything else. */
export const START = graphql(`
  mutation TwoFactorStart($input: TwoFactorStartInput!) {
    twoFactorStart(input: $input) {
      secret
      uri
      userErrors { field code reason message }
    }
  }
`);

export const CONFIRM = graphql(`
  mutation TwoFactorConfirm($input: TwoFactorConfirmInput!) {
    twoFactorConfirm(input: $input) {
      recoveryCodes
      userErrors { field code reason message }
    }
  }
`);
