import type { Migration } from './migration.ts';

/**
 * Says of every token where it came from and where it is used. The columns are null in tokens that the previous version
 * issued; those expire within 12 hours.
 */
export const accessTokens: Migration = {
  name: '0005-access-tokens',
  additive: true,
  statements: () => [
    'alter table access_tokens add column id bigint',
    'alter table access_tokens add column kind text',
    'alter table access_tokens add column sso_version integer',
    'alter table access_tokens add column last_used_at bigint',
    'alter table access_tokens add column device text',
    'create index sso_codes_operator on sso_codes (account_id, operator_id)',
  ],
};
