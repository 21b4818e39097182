import { type Expression, type RawBuilder, sql } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { prepare, preparePerShape, type Statement } from '../../../storage/prepared-statement.ts';
import type { Channel } from '../../kernel/channels.ts';
import { computePresence, type LiveRow, type Presence, toLiveState } from '../../live/live.ts';
import { buildRoutableCondition } from '../../live/routable.ts';
import type { Candidate, ResolvedNeed } from './choose-operator.ts';
import { buildSubtreeCte } from './needs.ts';
import { findShortestLists, type ListKind } from './routing-lists.ts';

/** Maximum number of candidates that are ranked and stored with a decision. */
export const MAX_RANKED = 20;

export interface CandidateSearch {
  readonly accountId: number;
  readonly conversationId: number;
  readonly need: ResolvedNeed;
  readonly skillId: number | null;
  readonly groupId: number | null;
  readonly lowestPriorityFirst: boolean;
  /** The needs that have a list of operators. */
  readonly routingLists: ReadonlySet<string>;
}

type ListArguments = { readonly [name in `list${number}`]: string };

interface SearchArguments extends ListArguments {
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
  /** Walk these lists instead of all routable operators; those on them meet the need of this kind. */
  readonly lists?: { readonly kind: ListKind; readonly count: number } | undefined;
}

/**
 * Finds the eligible operators in the order of `chooseOperator`, for each of the two priorities. They are read from
 * indexes in the same order, so that the cost of finding the first ones does not grow with the number of operators.
 */
export function prepareCandidates({
  channel,
  requiresSkill,
  requiresGroup,
  lists,
}: SearchShape): Statement<SearchArguments, LiveRow> {
  return prepare((db, args) => {
    const { accountId } = args;
    const checksSkill = requiresSkill && lists?.kind !== 'skill';
    const checksGroup = requiresGroup && lists?.kind !== 'group';
    const subtrees = [
      ...(checksSkill ? [buildSubtreeCte('wanted_skills', 'skills', { accountId, id: args.skillId })] : []),
      ...(checksGroup ? [buildSubtreeCte('wanted_groups', 'groups', { accountId, id: args.groupId })] : []),
    ];
    const hasWebsite = sql`and exists (select 1 from operator_websites w where w.account_id = live.account_id
        and w.website_id = ${args.websiteId} and w.operator_id = live.operator_id)`;
    const hasSkill = sql`and exists (select 1 from operator_skills h where h.account_id = live.account_id
        and h.skill_id in (select id from wanted_skills) and h.operator_id = live.operator_id)`;
    const isEligible = sql`live.account_id = ${accountId} and ${buildRoutableCondition(channel)}
      ${lists?.kind === 'website' ? sql`` : hasWebsite}
      ${checksSkill ? hasSkill : sql``}
      ${checksGroup ? sql`and live.group_id in (select id from wanted_groups)` : sql``}
      ${lists?.kind === 'language' ? sql`` : sql`and live.language_list like '%"' || ${args.language} || '"%'`}
      and not exists (select 1 from offer_pauses p where p.account_id = live.account_id
        and p.conversation_id = ${args.conversationId} and p.operator_id = live.operator_id and p.until > now_ms())`;
    const best = lists
      ? walkLists(args, { channel, isEligible, count: lists.count })
      : walkRoutableOperators(args, { channel, isEligible });
    const query = sql<LiveRow>`${subtrees.length > 0 ? sql`with recursive ${sql.join(subtrees, sql`, `)} ` : sql``}${best}`;
    return { compile: () => query.compile(db) };
  });
}

type Expressions = { readonly [Name in keyof SearchArguments]: Expression<SearchArguments[Name]> };

interface Walk {
  readonly channel: Channel;
  readonly isEligible: RawBuilder<unknown>;
}

/** Walks the index of routable operators until it has found enough. */
function walkRoutableOperators({ firstPriority, secondPriority }: Expressions, { channel, isEligible }: Walk) {
  const share = channel === 'chat' ? sql`(live.chat_slots * 1000000 / live.chat_max_number), ` : sql``;
  const walk = (priority: Expression<number>) => sql`select * from (select live.* from operator_live live
    where ${isEligible} and ${sql.raw(`live.${channel}_priority`)} = ${priority}
    order by ${share}live.assigned_at, live.operator_id limit ${sql.lit(MAX_RANKED)}) as best`;
  return sql`${walk(firstPriority)} union all ${walk(secondPriority)}`;
}

/**
 * Walks each list until it has found enough: the best of all are among them. An operator can be on several. The
 * condition is a scalar subquery that PostgreSQL expects to be met, or it would begin a join at the other end, or sort
 * the whole list.
 */
function walkLists(args: Expressions, { channel, isEligible, count }: Walk & { readonly count: number }) {
  const { accountId, firstPriority, secondPriority } = args;
  const walk = (list: Expression<string>, priority: Expression<number>, turn: number) => sql`select * from (
      select ${sql.lit(turn)} as turn, o.share, o.assigned_at, o.operator_id from listed_operators o
      where o.account_id = ${accountId} and o.channel = ${sql.lit(channel)} and o.need = ${list} and o.priority = ${priority}
      and (select 1 from operator_live live where ${isEligible} and live.operator_id = o.operator_id) is not null
      order by o.share, o.assigned_at, o.operator_id limit ${sql.lit(MAX_RANKED)}) as first`;
  const walks = Array.from({ length: count }, (_, index) => args[`list${index}`] as Expression<string>).flatMap(
    (list) => [walk(list, firstPriority, 0), walk(list, secondPriority, 1)],
  );
  const order = sql`best.turn, best.share, best.assigned_at, best.operator_id`;
  return sql`select live.* from (
      select * from (${sql.join(walks, count > 1 ? sql` union ` : sql` union all `)}) as best
      order by ${order} limit ${sql.lit(MAX_RANKED)}
    ) best cross join operator_live live
    where live.account_id = ${accountId} and live.operator_id = best.operator_id order by ${order}`;
}

const statementFor = preparePerShape(prepareCandidates);

export async function findBestCandidates(tx: Transaction, search: CandidateSearch): Promise<Candidate[]> {
  const { accountId, conversationId, need, skillId, groupId, routingLists } = search;
  const shortest = await findShortestLists(tx, { accountId, need, kept: routingLists });
  const lists = shortest && padLists(shortest.lists);
  const statement = statementFor({
    channel: need.channel,
    requiresSkill: skillId !== null,
    requiresGroup: groupId !== null,
    lists: shortest && lists && { kind: shortest.kind, count: lists.length },
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
    ...Object.fromEntries((lists ?? []).map((list, index) => [`list${index}`, list])),
  });
  return rows.slice(0, MAX_RANKED).map((row) => toCandidate(row, need.channel, computePresence(row, tx.now)));
}

/** Adds empty lists up to a power of two, so that there are few statements. */
function padLists(lists: readonly string[]): readonly string[] {
  const padding = 2 ** Math.ceil(Math.log2(lists.length)) - lists.length;
  return [...lists, ...Array<string>(padding).fill('')];
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
