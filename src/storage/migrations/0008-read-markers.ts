import type { Migration } from './migration.ts';

/**
 * How far each side has read a conversation. In a table of its own: a marker is set without the account's lock, and must
 * not hold up the messages, which update the conversation. A conversation without a row was not read.
 */
export const readMarkers: Migration = {
  name: '0008-read-markers',
  additive: true,
  statements: () => [
    `create table read_markers (
      account_id bigint not null, conversation_id bigint not null, visitor_up_to bigint not null default 0,
      operator_up_to bigint not null default 0, primary key (account_id, conversation_id))`,
  ],
};
