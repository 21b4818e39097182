import type { Migration } from './migration.ts';

/**
 * Why an operator takes a pause; who last changed the availability on each channel (JSON); and who took the operator
 * offline.
 */
export const pauseReason: Migration = {
  name: '0025-pause-reason',
  additive: true,
  statements: () => [
    'alter table operator_live add column pause_reason text',
    'alter table live_history add column pause_reason text',
    'alter table operator_live add column chat_changed text',
    'alter table operator_live add column call_changed text',
    'alter table operator_live add column video_changed text',
    'alter table operator_live add column taken_offline text',
  ],
};
