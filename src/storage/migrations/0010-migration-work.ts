import type { Migration } from './migration.ts';

/**
 * The indexes and fills that migrations leave to the background, with their progress. A new database needs none. It is
 * copied with the other tables, so a copy continues where its source was.
 */
export const migrationWork: Migration = {
  name: '0010-migration-work',
  additive: true,
  statements: ({ orderedText }) => [
    `create table migration_work (
      name ${orderedText} primary key, migration text not null, kind text not null, pass integer not null,
      after_key text, changed_rows bigint not null, not_before bigint not null, finished_at bigint)`,
  ],
};
