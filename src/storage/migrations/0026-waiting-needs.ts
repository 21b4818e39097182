import type { Migration } from './migration.ts';

/** Finds the needs of those who wait, and who waits longest with each, without reading the whole queue. */
export const waitingNeeds: Migration = {
  name: '0026-waiting-needs',
  additive: true,
  statements: () => [],
  indexes: [
    {
      name: 'conversations_waiting_needs',
      on: `conversations (account_id, (channel || ' ' || cast(website_id as text) || ' ' || coalesce(cast(skill_id as text), '')
        || ' ' || coalesce(cast(group_id as text), '') || ' ' || language), queue_order, id) where state = 'queued'`,
    },
  ],
};
