import type { Migration } from './migration.ts';

/** Where visitors are, and what their website says about them. Apart from `visitors`: it changes with every page. */
export const visitorContext: Migration = {
  name: '0011-visitor-context',
  additive: true,
  statements: () => [
    `create table visitor_context (
      account_id bigint not null, visitor_id bigint not null, page text not null, title text not null,
      referrer text not null, timezone text not null, language text not null, fields text not null,
      verified_fields text not null, verified_details text not null, updated_at bigint not null,
      primary key (account_id, visitor_id))`,
  ],
};
