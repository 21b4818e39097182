import type { Migration } from './migration.ts';

/**
 * When a session began, and when a visitor was last seen. Null in rows of the previous version: they count from when the
 * token was issued, or the visitor was created.
 */
export const visitorSessions: Migration = {
  name: '0007-visitor-sessions',
  additive: true,
  statements: () => [
    'alter table visitor_tokens add column session_started_at bigint',
    'alter table visitors add column last_seen_at bigint',
  ],
};
