import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import { prepare, preparePerShape, type Statement } from '../../storage/prepared-statement.ts';
import { buildSubtreeCte } from '../engine/routing/needs.ts';
import { CHANNELS, type Channel } from '../kernel/channels.ts';
import { buildRoutableCondition } from '../live/routable.ts';

/** Up to this many operators of a website are looked up one by one; with more, the routable ones are searched. */
const MAX_LISTED_OPERATORS = 100;

interface SearchShape {
  readonly listsOperators: boolean;
  readonly requiresSkill: boolean;
  readonly requiresGroup: boolean;
}

interface SearchArguments {
  readonly accountId: number;
  readonly websiteId: number;
  readonly skillId: number;
  readonly groupId: number;
  readonly language: string;
}

/** 1 for every channel on which an operator is routable, and the database's time. */
export type WidgetAvailability = Readonly<Record<Channel, number>> & { readonly now: number };

export interface AvailabilityNeed {
  readonly accountId: number;
  readonly websiteId: number;
  readonly operatorCount: number;
  readonly skillId: number | null;
  readonly groupId: number | null;
  readonly language: string;
}

/**
 * Stops at the first operator that it finds. Reads the few operators of a small website by their keys, and for a large
 * one the index of the account's routable operators: never all operators.
 */
export function prepareWidgetAvailability({
  listsOperators,
  requiresSkill,
  requiresGroup,
}: SearchShape): Statement<SearchArguments, WidgetAvailability> {
  return prepare((db, args) => {
    const { accountId } = args;
    const subtrees = [
      ...(requiresSkill ? [buildSubtreeCte('wanted_skills', 'skills', { accountId, id: args.skillId })] : []),
      ...(requiresGroup ? [buildSubtreeCte('wanted_groups', 'groups', { accountId, id: args.groupId })] : []),
    ];
    // `cross join` fixes the order of the tables on SQLite.
    const operators: RawBuilder<unknown> = listsOperators
      ? sql`operator_websites w cross join operator_live live where w.account_id = ${accountId}
        and w.website_id = ${args.websiteId} and live.account_id = w.account_id and live.operator_id = w.operator_id`
      : sql`operator_live live cross join operator_websites w where live.account_id = ${accountId}
        and w.account_id = ${accountId} and w.website_id = ${args.websiteId} and w.operator_id = live.operator_id`;
    const isAvailable = (channel: Channel) => sql`case when exists (select 1 from ${operators}
      and ${buildRoutableCondition(channel)} and live.language_list like '%"' || ${args.language} || '"%'
      ${
        requiresSkill
          ? sql`and exists (select 1 from operator_skills h where h.account_id = live.account_id
        and h.skill_id in (select id from wanted_skills) and h.operator_id = live.operator_id)`
          : sql``
      }
      ${requiresGroup ? sql`and live.group_id in (select id from wanted_groups)` : sql``}) then 1 else 0 end`;
    const columns = CHANNELS.map((channel) => sql`${isAvailable(channel)} as ${sql.ref(channel)}`);
    const query = sql<WidgetAvailability>`${subtrees.length > 0 ? sql`with recursive ${sql.join(subtrees, sql`, `)} ` : sql``}
      select now_ms() as now, ${sql.join(columns)}`;
    return { compile: () => query.compile(db) };
  });
}

const statementFor = preparePerShape(prepareWidgetAvailability);

export async function loadWidgetAvailability(database: Database, need: AvailabilityNeed): Promise<WidgetAvailability> {
  const { accountId, websiteId, operatorCount, skillId, groupId, language } = need;
  const statement = statementFor({
    listsOperators: operatorCount <= MAX_LISTED_OPERATORS,
    requiresSkill: skillId !== null,
    requiresGroup: groupId !== null,
  });
  const args = { accountId, websiteId, skillId: skillId ?? 0, groupId: groupId ?? 0, language };
  const [row] = await database.run(statement, args);
  return row as WidgetAvailability;
}
