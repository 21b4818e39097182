import type { Migration } from './migration.ts';

/**
 * What an account decides about the work at the desk: taking waiting conversations, reading the visitor's earlier ones,
 * when a waiting time is shown in the warning colour, and the reasons for a pause. Desks list what was closed today.
 */
export const deskSettings: Migration = {
  name: '0023-desk-settings',
  additive: true,
  statements: () => [
    'alter table accounts add column operators_may_take integer not null default 0',
    'alter table accounts add column share_visitor_history integer not null default 1',
    'alter table accounts add column waiting_warning_seconds integer not null default 120',
    "alter table accounts add column pause_reasons text not null default '[]'",
  ],
  indexes: [
    { name: 'conversations_closed', on: 'conversations (account_id, closed_at) where closed_at is not null' },
    {
      name: 'conversations_operator_closed',
      on: 'conversations (account_id, operator_id, closed_at) where closed_at is not null',
    },
  ],
};
