import type { Migration } from './migration.ts';

/** After how many minutes without a message a running chat is closed; 0 for never. */
export const idleMinutes: Migration = {
  name: '0014-idle-minutes',
  additive: true,
  statements: () => ['alter table accounts add column idle_minutes integer not null default 0'],
};
