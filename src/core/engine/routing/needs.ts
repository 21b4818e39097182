import { type Expression, sql } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { prepare, preparePerShape } from '../../../storage/prepared-statement.ts';
import type { Channel } from '../../kernel/channels.ts';
import type { Conversation } from '../records/conversation.ts';
import type { ResolvedNeed } from './choose-operator.ts';

/** The ids of a skill or group and its descendants, as a common table expression for `with recursive`. */
export const buildSubtreeCte = (
  name: string,
  table: 'skills' | 'groups',
  { accountId, id }: { accountId: Expression<number>; id: Expression<number> },
) => sql`${sql.raw(name)} (id) as (select cast(${id} as bigint) union
  select t.id from ${sql.raw(table)} t join ${sql.raw(name)} on t.parent_id = ${sql.raw(name)}.id where t.account_id = ${accountId})`;

const prepareSubtree = (table: 'skills' | 'groups') =>
  prepare<{ accountId: number; id: number }, { id: number }>((db, args) => ({
    compile: () =>
      sql<{ id: number }>`with recursive ${buildSubtreeCte('found', table, args)} select id from found`.compile(db),
  }));
const findSubtree = { skills: prepareSubtree('skills'), groups: prepareSubtree('groups') };

async function loadSubtreeIds(tx: Transaction, table: 'skills' | 'groups', accountId: number, id: number | null) {
  if (id === null) return null;
  return new Set((await tx.run(findSubtree[table], { accountId, id })).map((row) => row.id));
}

export type RoutingNeed = Pick<
  Conversation,
  'accountId' | 'channel' | 'websiteId' | 'skillId' | 'groupId' | 'language'
>;

/** Loads the required skill and group with all their descendants. */
export async function resolveNeed(tx: Transaction, need: RoutingNeed): Promise<ResolvedNeed> {
  const { accountId, channel, websiteId, language } = need;
  const [skills, groups] = await Promise.all([
    loadSubtreeIds(tx, 'skills', accountId, need.skillId),
    loadSubtreeIds(tx, 'groups', accountId, need.groupId),
  ]);
  return { channel, websiteId, skills, groups, language };
}

/** The values of an operator that decide which rows of `conversations c` they can serve, as SQL expressions. */
export interface ServingOperator {
  readonly accountId: Expression<number>;
  readonly operatorId: Expression<number>;
  readonly languageList: Expression<string>;
}

/** The skills and groups that an operator serves: their own and all ancestors of these. */
export const buildServedTreesCte = ({ accountId, operatorId }: ServingOperator) => sql`served_skills (id) as (
    select skill_id from operator_skills where account_id = ${accountId} and operator_id = ${operatorId}
    union select s.parent_id from skills s join served_skills on s.id = served_skills.id
      where s.account_id = ${accountId} and s.parent_id is not null),
  served_groups (id) as (
    select group_id from operator_live where account_id = ${accountId} and operator_id = ${operatorId} and group_id is not null
    union select g.parent_id from groups g join served_groups on g.id = served_groups.id
      where g.account_id = ${accountId} and g.parent_id is not null)`;

/**
 * Whether the operator can serve a row of `conversations c`, apart from presence and capacity. Must agree with
 * `findObstacles`.
 */
export const buildCanServeCondition = ({ operatorId, languageList }: ServingOperator) => sql`
  exists (select 1 from operator_websites w where w.account_id = c.account_id and w.website_id = c.website_id and w.operator_id = ${operatorId})
  and (c.skill_id is null or c.skill_id in (select id from served_skills))
  and (c.group_id is null or c.group_id in (select id from served_groups))
  and ${languageList} like '%"' || c.language || '"%'`;

interface AnyOperatorArguments {
  readonly accountId: number;
  readonly websiteId: number;
  readonly skillId: number;
  readonly groupId: number;
  readonly language: string;
}

interface AnyOperatorShape {
  readonly channel: Channel;
  readonly requiresSkill: boolean;
  readonly requiresGroup: boolean;
}

const findAnyOperator = preparePerShape(({ channel, requiresSkill, requiresGroup }: AnyOperatorShape) =>
  prepare<AnyOperatorArguments, { operatorId: number }>((db, args) => ({
    compile: () =>
      sql<{ operatorId: number }>`with recursive
        ${buildSubtreeCte('wanted_skills', 'skills', { accountId: args.accountId, id: args.skillId })},
        ${buildSubtreeCte('wanted_groups', 'groups', { accountId: args.accountId, id: args.groupId })}
      select live.operator_id from ${requiresSkill ? sql`operator_skills h cross join operator_live live` : sql`operator_websites w cross join operator_live live`}
      where live.account_id = ${args.accountId} and live.${sql.raw(`${channel}_enabled`)} = 1
      and ${
        requiresSkill
          ? sql`h.account_id = ${args.accountId} and h.skill_id in (select id from wanted_skills) and live.operator_id = h.operator_id
        and exists (select 1 from operator_websites w where w.account_id = live.account_id and w.website_id = ${args.websiteId} and w.operator_id = live.operator_id)`
          : sql`w.account_id = ${args.accountId} and w.website_id = ${args.websiteId} and live.operator_id = w.operator_id`
      }
      ${requiresGroup ? sql`and live.group_id in (select id from wanted_groups)` : sql``}
      and live.language_list like '%"' || ${args.language} || '"%' limit 1`.compile(db),
  })),
);

/** Whether any operator, connected or not, could serve such a conversation. */
export async function isServable(tx: Transaction, need: RoutingNeed): Promise<boolean> {
  const { accountId, channel, websiteId, skillId, groupId, language } = need;
  const statement = findAnyOperator({ channel, requiresSkill: skillId !== null, requiresGroup: groupId !== null });
  const rows = await tx.run(statement, {
    accountId,
    websiteId,
    skillId: skillId ?? 0,
    groupId: groupId ?? 0,
    language,
  });
  return rows.length > 0;
}
