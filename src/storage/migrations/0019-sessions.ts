import type { Migration } from './migration.ts';

/**
 * Sessions of browsers are access tokens with another digest. A node of the previous version refuses their values, and
 * ends them like tokens. Failed logins belong to no account: the e-mail address may be unknown.
 */
export const sessions: Migration = {
  name: '0019-sessions',
  additive: true,
  statements: ({ orderedText }) => [
    'alter table access_tokens add column is_session integer not null default 0',
    'alter table access_tokens add column address text',
    `create table failed_logins (
      id ${orderedText} primary key, at bigint not null, email_digest text not null, address text not null, device text,
      reason text not null)`,
    'create index failed_logins_email on failed_logins (email_digest, at)',
    'create index failed_logins_age on failed_logins (at, id)',
  ],
};
