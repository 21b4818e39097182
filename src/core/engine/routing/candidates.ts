import { type RawBuilder, sql } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { prepare, preparePerShape, type Statement } from '../../../storage/prepared-statement.ts';
import type { Channel } from '../../kernel/channels.ts';
import { type LiveRow, type Presence, presenceAt, toLiveState } from '../../live/live.ts';
import { buildRoutableCondition } from '../../live/routable.ts';
import type { Candidate, ResolvedNeed } from './choose-operator.ts';
import { subtreeCte } from './needs.ts';

/** How many of the best candidates are ranked and stored with a decision. */
export const MAX_RANKED = 20;

/** Scanning the holders of a skill with at most this many is faster than walking the index of routable operators. */
const MAX_SMALL_POOL_SIZE = 500;

export interface CandidateSearch {
  readonly accountId: number;
  readonly conversationId: number;
  readonly need: ResolvedNeed;
  readonly skillId: number | null;
  readonly groupId: number | null;
  readonly lowestPriorityFirst: boolean;
}

interface SearchArguments {
  readonly accountId: number;
  readonly conversationId: number;
  readonly websiteId: number;
  readonly skillId: number;
  readonly groupId: number;
  readonly language: string;
  readonly firstPriority: number;
  readonly secondPriority: number;
}

interface SearchShape {
  readonly channel: Channel;
  readonly bySkill: boolean;
  readonly byGroup: boolean;
  /** Scan the holders of the skill instead of walking the index of routable operators. */
  readonly scansSkillHolders: boolean;
}

/**
 * The eligible operators in the order of `chooseOperator`, for each of the two priorities. An index has the same order,
 * so that the first ones cost the same among ten operators and among ten thousand.
 */
export function candidatesStatement({
  channel,
  bySkill,
  byGroup,
  scansSkillHolders,
}: SearchShape): Statement<SearchArguments, LiveRow> {
  return prepare((db, args) => {
    const { accountId } = args;
    const subtrees = [
      ...(bySkill ? [subtreeCte('wanted_skills', 'skills', { accountId, id: args.skillId })] : []),
      ...(byGroup ? [subtreeCte('wanted_groups', 'groups', { accountId, id: args.groupId })] : []),
    ];
    const share = channel === 'chat' ? sql`(live.chat_slots * 1000000 / live.chat_max_number), ` : sql``;
    const best = (priority: RawBuilder<unknown>) => sql`select * from (select live.* from
      ${scansSkillHolders ? sql`(select distinct h.operator_id from operator_skills h where h.account_id = ${args.accountId} and h.skill_id in (select id from wanted_skills)) held cross join operator_live live` : sql`operator_live live`}
      where live.account_id = ${args.accountId} and ${buildRoutableCondition(channel)}
      and live.${sql.raw(`${channel}_priority`)} = ${priority}
      ${scansSkillHolders ? sql`and live.operator_id = held.operator_id` : sql``}
      and exists (select 1 from operator_websites w where w.account_id = live.account_id
        and w.website_id = ${args.websiteId} and w.operator_id = live.operator_id)
      ${
        bySkill && !scansSkillHolders
          ? sql`and exists (select 1 from operator_skills h where h.account_id = live.account_id
        and h.skill_id in (select id from wanted_skills) and h.operator_id = live.operator_id)`
          : sql``
      }
      ${byGroup ? sql`and live.group_id in (select id from wanted_groups)` : sql``}
      and live.language_list like '%"' || ${args.language} || '"%'
      and not exists (select 1 from offer_pauses p where p.account_id = live.account_id
        and p.conversation_id = ${args.conversationId} and p.operator_id = live.operator_id and p.until > now_ms())
      order by ${share}live.assigned_at, live.operator_id limit ${sql.lit(MAX_RANKED)}) as best`;
    const query = sql<LiveRow>`${subtrees.length > 0 ? sql`with recursive ${sql.join(subtrees, sql`, `)} ` : sql``}
      ${best(sql`${args.firstPriority}`)} union all ${best(sql`${args.secondPriority}`)}`;
    return { compile: () => query.compile(db) };
  });
}

const statementFor = preparePerShape(candidatesStatement);

export async function findBestCandidates(tx: Transaction, search: CandidateSearch): Promise<Candidate[]> {
  const { accountId, conversationId, need, skillId, groupId } = search;
  const statement = statementFor({
    channel: need.channel,
    bySkill: skillId !== null,
    byGroup: groupId !== null,
    scansSkillHolders: skillId !== null && (await countSkillHolders(tx, accountId, skillId)) <= MAX_SMALL_POOL_SIZE,
  });
  const rows = await tx.run(statement, {
    accountId,
    conversationId,
    websiteId: need.websiteId,
    skillId: skillId ?? 0,
    groupId: groupId ?? 0,
    language: need.language,
    firstPriority: search.lowestPriorityFirst ? 0 : 10,
    secondPriority: search.lowestPriorityFirst ? 10 : 0,
  });
  return rows.slice(0, MAX_RANKED).map((row) => toCandidate(row, need.channel, presenceAt(row, tx.now)));
}

const sumHolders = prepare<{ accountId: number; skillId: number }, { count: number }>((db, args) => ({
  compile: () =>
    sql<{ count: number }>`with recursive
      ${subtreeCte('wanted_skills', 'skills', { accountId: args.accountId, id: args.skillId })}
      select coalesce(sum(operator_count), 0) as count from skills
      where account_id = ${args.accountId} and id in (select id from wanted_skills)`.compile(db),
}));

async function countSkillHolders(tx: Transaction, accountId: number, skillId: number): Promise<number> {
  return (await tx.run(sumHolders, { accountId, skillId }))[0]?.count ?? 0;
}

type CandidateColumns = Parameters<typeof toLiveState>[0] &
  Pick<
    LiveRow,
    'operatorId' | 'websiteList' | 'skillList' | 'groupId' | 'languageList' | 'assignedAt' | `${Channel}Priority`
  >;

/** Builds a candidate from a row of the live state or of the live history. */
export function toCandidate(
  row: CandidateColumns,
  channel: Channel,
  presence: Presence,
  flags: Partial<Pick<Candidate, 'servedLast' | 'isOfferPaused'>> = {},
): Candidate {
  return {
    operatorId: row.operatorId,
    state: toLiveState(row, presence),
    websites: JSON.parse(row.websiteList) as number[],
    skills: JSON.parse(row.skillList) as number[],
    groupId: row.groupId,
    languages: JSON.parse(row.languageList) as string[],
    priority: row[`${channel}Priority`],
    assignedAt: row.assignedAt,
    servedLast: false,
    isOfferPaused: false,
    ...flags,
  };
}
