import type { Migration } from './migration.ts';

/**
 * Links with which operators set their password, what each operator has chosen for the pages, and the address of the
 * account's own sign-on page.
 */
export const passwordLinks: Migration = {
  name: '0021-password-links',
  additive: true,
  statements: () => [
    `create table password_links (
      token_hash text primary key, account_id bigint not null, operator_id bigint not null, created_at bigint not null,
      expires_at bigint not null, creator_type text not null, creator_id bigint)`,
    'create unique index password_links_operator on password_links (account_id, operator_id)',
    `create table operator_preferences (
      account_id bigint not null, operator_id bigint not null, preferences text not null,
      primary key (account_id, operator_id))`,
    'alter table accounts add column sign_on_url text',
  ],
};
