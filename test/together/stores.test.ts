import { runTogether } from '../support/processes/together.ts';

await runTogether([
  'core/access',
  'core/administration',
  'core/attachments',
  'core/directory',
  'core/events',
  'core/kernel',
  'core/live',
  'core/reports',
  'core/signals',
  'core/upkeep',
  'core/visitors',
  'core/webhooks',
  'demo',
  'storage',
  'web',
]);
