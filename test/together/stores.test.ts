import { runTogether } from '../support/processes/together.ts';

await runTogether([
  'core/access',
  'core/events',
  'core/kernel',
  'core/live',
  'core/reports',
  'core/upkeep',
  'core/webhooks',
  'demo',
  'storage',
]);
