import { type RawBuilder, sql } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { prepare, type Statement, statementPerShape } from '../../../storage/prepared-statement.ts';
import type { Channel } from '../../kernel/channels.ts';
import { type LiveRow, liveState, type Presence, presenceAt } from '../../live/live.ts';
import { isRoutable } from '../../live/routable.ts';
import type { Candidate, Need } from './choose-operator.ts';
import { subtree } from './needs.ts';

/** So many of the best are looked at and kept with a decision. */
export const BEST = 20;

/** A skill or group that so few belong to is quicker to go through than the order of all. */
const SMALL_POOL = 500;

export interface Question {
  readonly accountId: number;
  readonly conversationId: number;
  readonly need: Need;
  readonly skillId: number | null;
  readonly groupId: number | null;
  readonly lowestPriorityFirst: boolean;
}

interface Arguments {
  readonly accountId: number;
  readonly conversationId: number;
  readonly websiteId: number;
  readonly skillId: number;
  readonly groupId: number;
  readonly language: string;
  readonly first: number;
  readonly second: number;
}

interface Shape {
  readonly channel: Channel;
  readonly bySkill: boolean;
  readonly byGroup: boolean;
  /** Go through those who hold the skill, instead of through the order of all who are routable. */
  readonly fewHoldIt: boolean;
}

/**
 * The eligible in the order of `chooseOperator`, for each of the two priorities: read from an index that has this order, so
 * that the first ones cost the same among ten operators and among ten thousand.
 */
export function bestStatement({ channel, bySkill, byGroup, fewHoldIt }: Shape): Statement<Arguments, LiveRow> {
  return prepare((db, given) => {
    const { accountId } = given;
    const wanted = [
      ...(bySkill ? [subtree('wanted_skills', 'skills', { accountId, id: given.skillId })] : []),
      ...(byGroup ? [subtree('wanted_groups', 'groups', { accountId, id: given.groupId })] : []),
    ];
    const share = channel === 'chat' ? sql`(live.chat_slots * 1000000 / live.chat_max_number), ` : sql``;
    const best = (priority: RawBuilder<unknown>) => sql`select * from (select live.* from
      ${fewHoldIt ? sql`(select distinct h.operator_id from operator_skills h where h.account_id = ${given.accountId} and h.skill_id in (select id from wanted_skills)) held cross join operator_live live` : sql`operator_live live`}
      where live.account_id = ${given.accountId} and ${isRoutable(channel)}
      and live.${sql.raw(`${channel}_priority`)} = ${priority}
      ${fewHoldIt ? sql`and live.operator_id = held.operator_id` : sql``}
      and exists (select 1 from operator_websites w where w.account_id = live.account_id
        and w.website_id = ${given.websiteId} and w.operator_id = live.operator_id)
      ${
        bySkill && !fewHoldIt
          ? sql`and exists (select 1 from operator_skills h where h.account_id = live.account_id
        and h.skill_id in (select id from wanted_skills) and h.operator_id = live.operator_id)`
          : sql``
      }
      ${byGroup ? sql`and live.group_id in (select id from wanted_groups)` : sql``}
      and live.language_list like '%"' || ${given.language} || '"%'
      and not exists (select 1 from offer_pauses p where p.account_id = live.account_id
        and p.conversation_id = ${given.conversationId} and p.operator_id = live.operator_id and p.until > now_ms())
      order by ${share}live.assigned_at, live.operator_id limit ${sql.lit(BEST)}) as best`;
    const query = sql<LiveRow>`${wanted.length > 0 ? sql`with recursive ${sql.join(wanted, sql`, `)} ` : sql``}
      ${best(sql`${given.first}`)} union all ${best(sql`${given.second}`)}`;
    return { compile: () => query.compile(db) };
  });
}

const bestOf = statementPerShape(bestStatement);

/** The best of those who are eligible now. */
export async function bestCandidates(tx: Transaction, question: Question): Promise<Candidate[]> {
  const { accountId, conversationId, need, skillId, groupId } = question;
  const statement = bestOf({
    channel: need.channel,
    bySkill: skillId !== null,
    byGroup: groupId !== null,
    fewHoldIt: skillId !== null && (await holders(tx, accountId, skillId)) <= SMALL_POOL,
  });
  const rows = await tx.run(statement, {
    accountId,
    conversationId,
    websiteId: need.websiteId,
    skillId: skillId ?? 0,
    groupId: groupId ?? 0,
    language: need.language,
    first: question.lowestPriorityFirst ? 0 : 10,
    second: question.lowestPriorityFirst ? 10 : 0,
  });
  return rows.slice(0, BEST).map((row) => candidateOf(row, need.channel, presenceAt(row, tx.now)));
}

const countHolders = prepare<{ accountId: number; skillId: number }, { count: number }>((db, given) => ({
  compile: () =>
    sql<{ count: number }>`with recursive
      ${subtree('wanted_skills', 'skills', { accountId: given.accountId, id: given.skillId })}
      select coalesce(sum(operator_count), 0) as count from skills
      where account_id = ${given.accountId} and id in (select id from wanted_skills)`.compile(db),
}));

async function holders(tx: Transaction, accountId: number, skillId: number): Promise<number> {
  return (await tx.run(countHolders, { accountId, skillId }))[0]?.count ?? 0;
}

type CandidateColumns = Parameters<typeof liveState>[0] &
  Pick<
    LiveRow,
    'operatorId' | 'websiteList' | 'skillList' | 'groupId' | 'languageList' | 'assignedAt' | `${Channel}Priority`
  >;

/** An operator as routing sees them, from a row of the present or of the history. */
export function candidateOf(
  row: CandidateColumns,
  channel: Channel,
  presence: Presence,
  about: Partial<Pick<Candidate, 'servedLast' | 'refusedLately'>> = {},
): Candidate {
  return {
    operatorId: row.operatorId,
    state: liveState(row, presence),
    websites: JSON.parse(row.websiteList) as number[],
    skills: JSON.parse(row.skillList) as number[],
    groupId: row.groupId,
    languages: JSON.parse(row.languageList) as string[],
    priority: row[`${channel}Priority`],
    assignedAt: row.assignedAt,
    servedLast: false,
    refusedLately: false,
    ...about,
  };
}
