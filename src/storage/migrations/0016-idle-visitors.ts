import type { Migration } from './migration.ts';

/**
 * Finds visitors who have not been here for long. `is_kept` is 1 once such a visitor was found to have a conversation, so
 * that each one is looked at once.
 */
export const idleVisitors: Migration = {
  name: '0016-idle-visitors',
  additive: true,
  statements: () => ['alter table visitors add column is_kept integer not null default 0'],
  indexes: [
    { name: 'visitors_idle', on: 'visitors (coalesce(last_seen_at, created_at)) where is_kept = 0' },
    { name: 'visitors_erased', on: 'visitors (account_id, id) where erased_at is not null' },
  ],
};
