import type { Migration } from './migration.ts';

/** Files that visitors and operators send, in chunks, and the space that they take per account. */
export const attachments: Migration = {
  name: '0015-attachments',
  additive: true,
  statements: ({ bytes }) => [
    `alter table accounts add column attachment_kinds text not null default '[]'`,
    `create table attachments (
      account_id bigint not null, id bigint not null, conversation_id bigint not null, author_type text not null,
      author_id bigint, state text not null, name text not null, kind text not null, size bigint not null,
      reserved bigint not null, chunks integer not null, width integer, height integer, sequence bigint,
      place integer not null, created_at bigint not null, primary key (account_id, id))`,
    `create index attachments_message on attachments (account_id, conversation_id, sequence, place)`,
    `create index attachments_unsent on attachments (state, created_at) where state <> 'attached'`,
    `create table attachment_chunks (
      account_id bigint not null, attachment_id bigint not null, number integer not null, bytes ${bytes} not null,
      primary key (account_id, attachment_id, number))`,
    `create table attachment_usage (account_id bigint primary key, bytes bigint not null)`,
  ],
};
