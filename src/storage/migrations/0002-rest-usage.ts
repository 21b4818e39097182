import type { Migration } from './migration.ts';

/** Usage of the deprecated interface per API key. */
export const restUsage: Migration = {
  name: '0002-rest-usage',
  statements: ({ orderedText }) => [
    `create table rest_usage (
      account_id bigint not null, key_id bigint not null, what ${orderedText} not null, count bigint not null,
      first_used_at bigint not null, last_used_at bigint not null, primary key (account_id, key_id, what))`,
  ],
};
