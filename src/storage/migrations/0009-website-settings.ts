import type { Migration } from './migration.ts';

/** Opening hours and the settings of the widget, as JSON. Null means the defaults, also in rows of earlier versions. */
export const websiteSettings: Migration = {
  name: '0009-website-settings',
  additive: true,
  statements: () => [
    'alter table websites add column opening_hours text',
    'alter table websites add column widget text',
  ],
};
