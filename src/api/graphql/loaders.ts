import { managedReach } from '../../core/engine/conversations/conversation-filter.ts';
import type { Caller } from '../../core/kernel/caller.ts';
import type { Slice } from '../../core/kernel/slice.ts';
import type { AvailabilityQuestion } from '../../core/live/skill-availability.ts';
import type { OperatorFilters } from '../../core/operators/operator-filter.ts';
import type { MembershipKind } from '../../core/operators/operator-slices.ts';
import type { Figures, StatisticsFilters, StatisticsSubject } from '../../core/reports/statistics.ts';
import { conversationLoaders } from '../graphql-server/conversation-loaders.ts';
import { loadById, loadByKey, loadByOwner, loadInOrder } from '../graphql-server/loaders.ts';
import type { GraphqlServices } from './services.ts';

/** A question about the operators of a group, website or skill. */
export interface MembersKey {
  readonly kind: MembershipKind;
  readonly ownerId: number;
  readonly filters: OperatorFilters;
}

/** A question about the figures of something, or of the whole account. */
export interface FiguresKey {
  readonly subject: StatisticsSubject;
  readonly ownerId: number;
  readonly filters: StatisticsFilters;
}

/** Figures with the question that they answer, for what is found out only when it is asked for. */
export type AskedFigures = Figures & { readonly asked: FiguresKey };

export type Loaders = ReturnType<typeof createLoaders>;

/** Look-ups of one request: all that are asked for in the same moment become one statement. */
export function createLoaders(caller: Caller, { administration, engine, reports, visitors }: GraphqlServices) {
  const { accountId } = caller;
  const { operatorQuery, profiles, websites, groups, skills, tags } = administration;
  return {
    operator: loadById((ids) => operatorQuery.load(accountId, ids)),
    live: loadById((ids) => engine.live.states(accountId, ids)),
    profile: loadInOrder((ids) => profiles.load(accountId, ids)),
    website: loadById((ids) => websites.load(accountId, ids)),
    group: loadById((ids) => groups.load(accountId, ids)),
    skill: loadById((ids) => skills.load(accountId, ids)),
    /** The nodes directly under one. */
    children: {
      group: loadInOrder((ids) => groups.childrenOf(accountId, ids)),
      skill: loadInOrder((ids) => skills.childrenOf(accountId, ids)),
    },
    members: loadByOwner(({ kind, filters, slice }: MembersKey & { readonly slice: Slice }, ids) =>
      operatorQuery.members(accountId, kind, ids, filters, slice),
    ),
    memberCount: loadByOwner(({ kind, filters }: MembersKey, ids) =>
      operatorQuery.memberCounts(accountId, kind, ids, filters),
    ),
    conversations: {
      ...conversationLoaders(accountId, engine),
      byId: loadById((ids) => engine.conversationQuery.load(accountId, ids)),
      tagIds: loadInOrder(async (ids) => {
        const lists = await tags.ofConversations(accountId, ids);
        return ids.map((id) => lists.get(id) ?? []);
      }),
    },
    tag: loadById((ids) => tags.load(accountId, ids)),
    visitor: loadById((ids) => visitors.query.load(accountId, ids)),
    figures: loadByOwner(async (key: FiguresKey, ids): Promise<AskedFigures[]> => {
      const found = await reports.statistics.of(accountId, questionOf(caller, key, ids));
      return found.map((figures, index) => ({ ...figures, asked: { ...key, ownerId: ids[index] as number } }));
    }),
    connectedSeconds: loadByOwner((key: FiguresKey, ids) =>
      reports.connectedTime.of(accountId, questionOf(caller, key, ids)),
    ),
    availability: loadByKey((questions: readonly AvailabilityQuestion[]) =>
      engine.skillAvailabilities.answer(accountId, questions),
    ),
  };
}

/** Whoever may read an operator's details may read all figures of theirs; of all else, managers see what is of their groups. */
function questionOf(caller: Caller, { subject, filters }: FiguresKey, ids: readonly number[]) {
  return { subject, ids, filters: subject === 'operator' ? filters : { ...filters, reach: managedReach(caller) } };
}

/** What was deleted between two reads of one request is left out. */
export function existing<T extends object>(rows: readonly (T | undefined | Error)[]): T[] {
  return rows.filter((row): row is T => row !== undefined && !(row instanceof Error));
}
