import { type Expression, type RawBuilder, sql } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { prepare, preparePerShape, type Statement } from '../../../storage/prepared-statement.ts';
import type { Channel } from '../../kernel/channels.ts';
import { computePresence, type LiveRow, type Presence, toLiveState } from '../../live/live.ts';
import { buildRoutableCondition } from '../../live/routable.ts';
import type { Candidate, ResolvedNeed } from './choose-operator.ts';
import { buildSubtreeCte } from './needs.ts';

/** Maximum number of candidates that are ranked and stored with a decision. */
export const MAX_RANKED = 20;

/**
 * Up to this many operators with the skill are all read and sorted. Walking the index of routable operators is faster
 * for some, but it passes all who lack the skill: those who have it are the busy ones, at the end of the index.
 */
const MAX_SCANNED_OPERATORS = 2000;

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
  readonly requiresSkill: boolean;
  readonly requiresGroup: boolean;
  /** Scan the operators with the skill instead of walking the index of routable operators. */
  readonly scansSkilledOperators: boolean;
}

/**
 * Finds the eligible operators in the order of `chooseOperator`, for each of the two priorities. An index has the same
 * order, so that the cost of finding the first ones does not grow with the number of operators.
 */
export function prepareCandidates({
  channel,
  requiresSkill,
  requiresGroup,
  scansSkilledOperators,
}: SearchShape): Statement<SearchArguments, LiveRow> {
  return prepare((db, args) => {
    const { accountId } = args;
    const subtrees = [
      ...(requiresSkill ? [buildSubtreeCte('wanted_skills', 'skills', { accountId, id: args.skillId })] : []),
      ...(requiresGroup ? [buildSubtreeCte('wanted_groups', 'groups', { accountId, id: args.groupId })] : []),
    ];
    const isEligible = sql`live.account_id = ${accountId} and ${buildRoutableCondition(channel)}
      and exists (select 1 from operator_websites w where w.account_id = live.account_id
        and w.website_id = ${args.websiteId} and w.operator_id = live.operator_id)
      ${requiresGroup ? sql`and live.group_id in (select id from wanted_groups)` : sql``}
      and live.language_list like '%"' || ${args.language} || '"%'
      and not exists (select 1 from offer_pauses p where p.account_id = live.account_id
        and p.conversation_id = ${args.conversationId} and p.operator_id = live.operator_id and p.until > now_ms())`;
    const share = channel === 'chat' ? sql`(live.chat_slots * 1000000 / live.chat_max_number), ` : sql``;
    const search = { ...args, isEligible, priority: sql.raw(`live.${channel}_priority`) };
    const order = sql`${share}live.assigned_at, live.operator_id`;
    const best = scansSkilledOperators
      ? sortSkilledOperators(search, order)
      : walkRoutableOperators(search, order, requiresSkill);
    const query = sql<LiveRow>`${subtrees.length > 0 ? sql`with recursive ${sql.join(subtrees, sql`, `)} ` : sql``}${best}`;
    return { compile: () => query.compile(db) };
  });
}

type Search = { readonly [name in keyof SearchArguments]: Expression<SearchArguments[name]> } & {
  readonly isEligible: RawBuilder<unknown>;
  readonly priority: RawBuilder<unknown>;
};

/** Walks the index of routable operators, which has the order, until it has found enough. */
function walkRoutableOperators(
  { isEligible, priority, firstPriority, secondPriority }: Search,
  order: RawBuilder<unknown>,
  requiresSkill: boolean,
) {
  const hasSkill = sql`and exists (select 1 from operator_skills h where h.account_id = live.account_id
    and h.skill_id in (select id from wanted_skills) and h.operator_id = live.operator_id)`;
  const walk = (value: Expression<number>) => sql`select * from (select live.* from operator_live live
    where ${isEligible} and ${priority} = ${value} ${requiresSkill ? hasSkill : sql``}
    order by ${order} limit ${sql.lit(MAX_RANKED)}) as best`;
  return sql`${walk(firstPriority)} union all ${walk(secondPriority)}`;
}

/** Sorts all operators with the skill: only their keys, because the rows are long. */
function sortSkilledOperators(
  { isEligible, priority, firstPriority, accountId }: Search,
  orderWithinPriority: RawBuilder<unknown>,
) {
  const order = sql`case when ${priority} = ${firstPriority} then 0 else 1 end, ${orderWithinPriority}`;
  return sql`select live.* from (
      select live.operator_id from (select distinct h.operator_id from operator_skills h
        where h.account_id = ${accountId} and h.skill_id in (select id from wanted_skills)) held
      cross join operator_live live where ${isEligible} and live.operator_id = held.operator_id
      order by ${order} limit ${sql.lit(MAX_RANKED)}
    ) best cross join operator_live live
    where live.account_id = ${accountId} and live.operator_id = best.operator_id order by ${order}`;
}

const statementFor = preparePerShape(prepareCandidates);

export async function findBestCandidates(tx: Transaction, search: CandidateSearch): Promise<Candidate[]> {
  const { accountId, conversationId, need, skillId, groupId } = search;
  const statement = statementFor({
    channel: need.channel,
    requiresSkill: skillId !== null,
    requiresGroup: groupId !== null,
    scansSkilledOperators:
      skillId !== null && (await countSkilledOperators(tx, accountId, skillId)) <= MAX_SCANNED_OPERATORS,
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
  return rows.slice(0, MAX_RANKED).map((row) => toCandidate(row, need.channel, computePresence(row, tx.now)));
}

const sumSkilledOperators = prepare<{ accountId: number; skillId: number }, { count: number }>((db, args) => ({
  compile: () =>
    sql<{ count: number }>`with recursive
      ${buildSubtreeCte('wanted_skills', 'skills', { accountId: args.accountId, id: args.skillId })}
      select coalesce(sum(operator_count), 0) as count from skills
      where account_id = ${args.accountId} and id in (select id from wanted_skills)`.compile(db),
}));

async function countSkilledOperators(tx: Transaction, accountId: number, skillId: number): Promise<number> {
  return (await tx.run(sumSkilledOperators, { accountId, skillId }))[0]?.count ?? 0;
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
