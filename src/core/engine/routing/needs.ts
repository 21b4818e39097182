import { type Expression, sql } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { prepare, statementPerShape } from '../../../storage/prepared-statement.ts';
import type { Channel } from '../../kernel/channels.ts';
import type { Conversation } from '../records/conversation.ts';
import type { Need } from './choose-operator.ts';

/** A node of a tree and all under it, as a part of `with recursive`. */
export const subtree = (
  name: string,
  table: 'skills' | 'groups',
  { accountId, id }: { accountId: Expression<number>; id: Expression<number> },
) => sql`${sql.raw(name)} (id) as (select cast(${id} as bigint) union
  select t.id from ${sql.raw(table)} t join ${sql.raw(name)} on t.parent_id = ${sql.raw(name)}.id where t.account_id = ${accountId})`;

const descendants = (table: 'skills' | 'groups') =>
  prepare<{ accountId: number; id: number }, { id: number }>((db, given) => ({
    compile: () =>
      sql<{ id: number }>`with recursive ${subtree('found', table, given)} select id from found`.compile(db),
  }));
const below = { skills: descendants('skills'), groups: descendants('groups') };

async function under(tx: Transaction, table: 'skills' | 'groups', accountId: number, id: number | null) {
  if (id === null) return null;
  return new Set((await tx.run(below[table], { accountId, id })).map((row) => row.id));
}

export type Asked = Pick<Conversation, 'accountId' | 'channel' | 'websiteId' | 'skillId' | 'groupId' | 'language'>;

/** What a conversation asks for, with the skills and groups that answer for those it names. */
export async function needOf(tx: Transaction, asked: Asked): Promise<Need> {
  const { accountId, channel, websiteId, language } = asked;
  const [skills, groups] = await Promise.all([
    under(tx, 'skills', accountId, asked.skillId),
    under(tx, 'groups', accountId, asked.groupId),
  ]);
  return { channel, websiteId, skills, groups, language };
}

/** What of an operator decides which conversations they can serve, for SQL over the table `conversations c`. */
export interface Server {
  readonly accountId: Expression<number>;
  readonly operatorId: Expression<number>;
  readonly languageList: Expression<string>;
}

/** The skills that an operator answers for, and the groups: their own and all above. */
export const servedBy = ({ accountId, operatorId }: Server) => sql`served_skills (id) as (
    select skill_id from operator_skills where account_id = ${accountId} and operator_id = ${operatorId}
    union select s.parent_id from skills s join served_skills on s.id = served_skills.id
      where s.account_id = ${accountId} and s.parent_id is not null),
  served_groups (id) as (
    select group_id from operator_live where account_id = ${accountId} and operator_id = ${operatorId} and group_id is not null
    union select g.parent_id from groups g join served_groups on g.id = served_groups.id
      where g.account_id = ${accountId} and g.parent_id is not null)`;

/** Whether the operator could serve a row of `conversations c`, apart from being there and free: rule and `obstacles` say the same. */
export const couldServe = ({ operatorId, languageList }: Server) => sql`
  exists (select 1 from operator_websites w where w.account_id = c.account_id and w.website_id = c.website_id and w.operator_id = ${operatorId})
  and (c.skill_id is null or c.skill_id in (select id from served_skills))
  and (c.group_id is null or c.group_id in (select id from served_groups))
  and ${languageList} like '%"' || c.language || '"%'`;

interface PoolArguments {
  readonly accountId: number;
  readonly websiteId: number;
  readonly skillId: number;
  readonly groupId: number;
  readonly language: string;
}

interface PoolShape {
  readonly channel: Channel;
  readonly bySkill: boolean;
  readonly byGroup: boolean;
}

const anybody = statementPerShape(({ channel, bySkill, byGroup }: PoolShape) =>
  prepare<PoolArguments, { operatorId: number }>((db, given) => ({
    compile: () =>
      sql<{ operatorId: number }>`with recursive
        ${subtree('wanted_skills', 'skills', { accountId: given.accountId, id: given.skillId })},
        ${subtree('wanted_groups', 'groups', { accountId: given.accountId, id: given.groupId })}
      select live.operator_id from ${bySkill ? sql`operator_skills h cross join operator_live live` : sql`operator_websites w cross join operator_live live`}
      where live.account_id = ${given.accountId} and live.${sql.raw(`${channel}_enabled`)} = 1
      and ${
        bySkill
          ? sql`h.account_id = ${given.accountId} and h.skill_id in (select id from wanted_skills) and live.operator_id = h.operator_id
        and exists (select 1 from operator_websites w where w.account_id = live.account_id and w.website_id = ${given.websiteId} and w.operator_id = live.operator_id)`
          : sql`w.account_id = ${given.accountId} and w.website_id = ${given.websiteId} and live.operator_id = w.operator_id`
      }
      ${byGroup ? sql`and live.group_id in (select id from wanted_groups)` : sql``}
      and live.language_list like '%"' || ${given.language} || '"%' limit 1`.compile(db),
  })),
);

/** Whether there is anybody at all, connected or not, who could ever serve this. */
export async function isServable(tx: Transaction, asked: Asked): Promise<boolean> {
  const { accountId, channel, websiteId, skillId, groupId, language } = asked;
  const statement = anybody({ channel, bySkill: skillId !== null, byGroup: groupId !== null });
  const rows = await tx.run(statement, {
    accountId,
    websiteId,
    skillId: skillId ?? 0,
    groupId: groupId ?? 0,
    language,
  });
  return rows.length > 0;
}
