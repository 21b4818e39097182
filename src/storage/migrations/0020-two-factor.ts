import type { Migration } from './migration.ts';

/** The second factor of operators, their recovery codes, and the roles for which an account requires it. */
export const twoFactor: Migration = {
  name: '0020-two-factor',
  additive: true,
  statements: () => [
    `alter table accounts add column two_factor_required text not null default '[]'`,
    `create table two_factors (
      account_id bigint not null, operator_id bigint not null, secret text, enabled_at bigint, last_step bigint,
      pending_secret text, pending_until bigint, primary key (account_id, operator_id))`,
    `create table recovery_codes (
      account_id bigint not null, operator_id bigint not null, code_hash text not null,
      primary key (account_id, operator_id, code_hash))`,
  ],
};
