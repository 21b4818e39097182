import type { Migration } from './migration.ts';

/** Notes of operators in conversations. Not in `messages`, so that no version can show one to a visitor. */
export const notes: Migration = {
  name: '0022-notes',
  additive: true,
  statements: () => [
    `create table notes (
      account_id bigint not null, conversation_id bigint not null, id bigint not null, after_sequence bigint not null,
      author_type text not null, author_id bigint, client_id text, text text not null, at bigint not null,
      primary key (account_id, conversation_id, id))`,
    `create unique index notes_client on notes (account_id, conversation_id, author_type, author_id, client_id)
      where client_id is not null`,
  ],
};
