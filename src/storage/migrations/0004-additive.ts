import type { Migration } from './migration.ts';

/** Records for every later migration whether the previous version can run with it. */
export const additive: Migration = {
  name: '0004-additive',
  additive: true,
  statements: () => ['alter table migrations add column additive bigint not null default 0'],
};
