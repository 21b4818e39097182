import type { Migration } from './migration.ts';

/** Prepared texts for operators. `owner_id` is the operator or the group by `scope`, and 0 for the account. */
export const cannedReplies: Migration = {
  name: '0024-canned-replies',
  additive: true,
  statements: () => [
    `create table canned_replies (
      account_id bigint not null, id bigint not null, scope text not null, owner_id bigint not null,
      shortcut text not null, shortcut_folded text not null, language text not null, text text not null,
      updated_at bigint not null, primary key (account_id, id))`,
    `create unique index canned_replies_shortcut on canned_replies
      (account_id, scope, owner_id, shortcut_folded, language)`,
  ],
};
