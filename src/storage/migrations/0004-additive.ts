import type { Migration } from './migration.ts';

/** Says of every later migration whether the version before can go on with what it makes. */
export const additive: Migration = {
  name: '0004-additive',
  additive: true,
  statements: () => ['alter table migrations add column additive bigint not null default 0'],
};
