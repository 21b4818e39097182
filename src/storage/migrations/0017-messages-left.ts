import type { Migration } from './migration.ts';

/** What visitors wrote when no operator was there. */
export const messagesLeft: Migration = {
  name: '0017-messages-left',
  additive: true,
  statements: () => [
    `create table messages_left (
      account_id bigint not null, id bigint not null, website_id bigint not null, visitor_id bigint, name text not null,
      email text not null, text text not null, page text not null, created_at bigint not null, operator_id bigint,
      done_at bigint, done_by bigint, primary key (account_id, id))`,
    'create index messages_left_website on messages_left (account_id, website_id)',
    'create index messages_left_visitor on messages_left (account_id, visitor_id)',
    'create index messages_left_operator on messages_left (account_id, operator_id)',
    'create index messages_left_done on messages_left (account_id, done_at)',
  ],
};
