import DataLoader from 'dataloader';
import type { Profile } from '../../core/administration/profile.ts';
import type { Tag } from '../../core/directory/tag.ts';
import type { TreeKind, TreeNode } from '../../core/directory/tree.ts';
import type { Website } from '../../core/directory/website.ts';
import { managedReach } from '../../core/engine/conversations/conversation-filter.ts';
import type { OperatorLiveState } from '../../core/engine/presence/live-service.ts';
import type { Caller } from '../../core/kernel/caller.ts';
import type { Slice, SlicePage } from '../../core/kernel/slice.ts';
import type { AvailabilityQuestion, SkillAvailability } from '../../core/live/skill-availability.ts';
import type { Operator } from '../../core/operators/operator.ts';
import type { OperatorFilters } from '../../core/operators/operator-filter.ts';
import type { MembershipKind } from '../../core/operators/operator-slices.ts';
import type { Figures, StatisticsFilters, StatisticsSubject } from '../../core/reports/statistics.ts';
import type { Visitor } from '../../core/visitors/visitor-query.ts';
import { together } from '../graphql-server/together.ts';
import { type ConversationLoaders, conversationLoaders } from './conversation-loaders.ts';
import type { GraphqlServices } from './services.ts';

/** A question about the operators of a group, website or skill. */
export interface MembersKey {
  readonly kind: MembershipKind;
  readonly ownerId: number;
  readonly filters: OperatorFilters;
  readonly slice: Slice;
}

/** A question about the figures of something, or of the whole account. */
export interface FiguresKey {
  readonly subject: StatisticsSubject;
  readonly ownerId: number;
  readonly filters: StatisticsFilters;
}

/** Figures with the question that they answer, for what is found out only when it is asked for. */
export type AskedFigures = Figures & { readonly asked: FiguresKey };

export interface Loaders {
  readonly operator: DataLoader<number, Operator | undefined>;
  readonly live: DataLoader<number, OperatorLiveState | undefined>;
  readonly profile: DataLoader<number, Profile>;
  readonly website: DataLoader<number, Website | undefined>;
  readonly group: DataLoader<number, TreeNode | undefined>;
  readonly skill: DataLoader<number, TreeNode | undefined>;
  /** The nodes directly under one. */
  readonly children: Readonly<Record<TreeKind, DataLoader<number, TreeNode[]>>>;
  readonly members: DataLoader<MembersKey, SlicePage<Operator>, string>;
  readonly memberCount: DataLoader<MembersKey, number, string>;
  readonly conversations: ConversationLoaders;
  readonly tag: DataLoader<number, Tag | undefined>;
  readonly visitor: DataLoader<number, Visitor | undefined>;
  readonly figures: DataLoader<FiguresKey, AskedFigures, string>;
  readonly connectedSeconds: DataLoader<FiguresKey, number, string>;
  readonly availability: DataLoader<AvailabilityQuestion, SkillAvailability, string>;
}

/** A statement takes a bounded number of identifiers. */
const AT_ONCE = { maxBatchSize: 10_000 };

/** Look-ups of one request: all that are asked for in the same moment become one statement. */
export function createLoaders(caller: Caller, services: GraphqlServices): Loaders {
  const { accountId } = caller;
  const byId =
    <T extends { id: number }>(read: (ids: readonly number[]) => Promise<readonly T[]>) =>
    async (ids: readonly number[]): Promise<(T | undefined)[]> => {
      const found = new Map((await read(ids)).map((row) => [row.id, row]));
      return ids.map((id) => found.get(id));
    };
  return {
    operator: new DataLoader(
      byId((ids) => services.administration.operatorQuery.load(accountId, ids)),
      AT_ONCE,
    ),
    live: new DataLoader(
      byId((ids) => services.engine.live.states(accountId, ids)),
      AT_ONCE,
    ),
    profile: new DataLoader((ids) => services.administration.profiles.load(accountId, ids), AT_ONCE),
    website: new DataLoader(
      byId((ids) => services.administration.websites.load(accountId, ids)),
      AT_ONCE,
    ),
    group: new DataLoader(
      byId((ids) => services.administration.groups.load(accountId, ids)),
      AT_ONCE,
    ),
    skill: new DataLoader(
      byId((ids) => services.administration.skills.load(accountId, ids)),
      AT_ONCE,
    ),
    children: {
      group: new DataLoader((ids) => services.administration.groups.childrenOf(accountId, ids), AT_ONCE),
      skill: new DataLoader((ids) => services.administration.skills.childrenOf(accountId, ids), AT_ONCE),
    },
    members: new DataLoader(
      (keys) =>
        together(keys, ({ kind, filters, slice }, ids) =>
          services.administration.operatorQuery.members(accountId, kind, ids, filters, slice),
        ),
      { cacheKeyFn: (key) => JSON.stringify(key) },
    ),
    memberCount: new DataLoader(
      (keys) =>
        together(keys, ({ kind, filters }, ids) =>
          services.administration.operatorQuery.memberCounts(accountId, kind, ids, filters),
        ),
      { cacheKeyFn: (key) => JSON.stringify(key) },
    ),
    conversations: conversationLoaders(accountId, services),
    tag: new DataLoader(
      byId((ids) => services.administration.tags.load(accountId, ids)),
      AT_ONCE,
    ),
    visitor: new DataLoader(
      byId((ids) => services.visitors.query.load(accountId, ids)),
      AT_ONCE,
    ),
    figures: new DataLoader(
      (keys) =>
        together(keys, async (key, ids) => {
          const found = await services.reports.statistics.of(accountId, questionOf(caller, key, ids));
          return found.map((figures, index) => ({ ...figures, asked: { ...key, ownerId: ids[index] as number } }));
        }),
      { cacheKeyFn: (key) => JSON.stringify(key) },
    ),
    connectedSeconds: new DataLoader(
      (keys) =>
        together(keys, (key, ids) => services.reports.connectedTime.of(accountId, questionOf(caller, key, ids))),
      { cacheKeyFn: (key) => JSON.stringify(key) },
    ),
    availability: new DataLoader((questions) => services.engine.skillAvailabilities.answer(accountId, questions), {
      cacheKeyFn: (question) => JSON.stringify(question),
    }),
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
