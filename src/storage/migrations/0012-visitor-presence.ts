import type { Migration } from './migration.ts';

/**
 * When visitors are present, and after how many minutes of absence their conversations end. Existing websites keep
 * their conversations (0). There is no index on `present_until`, which every ping changes.
 */
export const visitorPresence: Migration = {
  name: '0012-visitor-presence',
  additive: true,
  statements: () => [
    `create table visitor_presence (
      account_id bigint not null, visitor_id bigint not null, present_until bigint not null, left_at bigint,
      primary key (account_id, visitor_id))`,
    'alter table websites add column waiting_absence_minutes integer not null default 0',
    'alter table websites add column active_absence_minutes integer not null default 0',
  ],
};
