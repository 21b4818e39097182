import type { Migration } from './migration.ts';

/**
 * What nodes tell each other for a few seconds. Only a database of several nodes has the table; it is emptied after a
 * crash, and not part of a copy.
 */
export const signals: Migration = {
  name: '0018-signals',
  additive: true,
  statements: ({ createUnloggedTable }) =>
    createUnloggedTable === undefined
      ? []
      : [`${createUnloggedTable} signals (id text primary key, sent_at bigint not null, body text not null)`],
};
