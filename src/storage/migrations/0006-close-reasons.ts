import type { Migration } from './migration.ts';

/**
 * Why the service closed a conversation, and which notice a message is. All are null in rows of earlier versions; of
 * notices these keep only the sentence.
 */
export const closeReasons: Migration = {
  name: '0006-close-reasons',
  additive: true,
  statements: () => [
    'alter table conversations add column close_reason text',
    'alter table messages add column notice_code text',
    'alter table messages add column notice_parameters text',
  ],
};
