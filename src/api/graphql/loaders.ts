import DataLoader from 'dataloader';
import type { OperatorLiveState } from '../../core/availability/live-service.ts';
import type { AvailabilityQuestion, SkillAvailability } from '../../core/availability/skill-availability.ts';
import type { Caller } from '../../core/caller.ts';
import type { Figures, Period } from '../../core/conversations/statistics.ts';
import type { TreeKind, TreeNode } from '../../core/directory/tree.ts';
import type { Website } from '../../core/directory/website.ts';
import type { Operator } from '../../core/operators/operator.ts';
import type { OperatorFilters } from '../../core/operators/operator-filter.ts';
import type { MembershipKind } from '../../core/operators/operator-slices.ts';
import type { Profile } from '../../core/operators/profile.ts';
import type { Slice, SlicePage } from '../../core/slice.ts';
import type { GraphqlServices } from './context.ts';

/** A question about the operators of a group, website or skill. */
export interface MembersKey {
  readonly kind: MembershipKind;
  readonly ownerId: number;
  readonly filters: OperatorFilters;
  readonly slice: Slice;
}

/** A question about the figures of an operator or a skill. */
export interface FiguresKey {
  readonly subject: 'operatorId' | 'skillId';
  readonly ownerId: number;
  readonly period: Period;
}

export interface Loaders {
  readonly operator: DataLoader<number, Operator | undefined>;
  readonly live: DataLoader<number, OperatorLiveState | undefined>;
  readonly profile: DataLoader<number, Profile>;
  readonly website: DataLoader<number, Website | undefined>;
  readonly group: DataLoader<number, TreeNode | undefined>;
  readonly skill: DataLoader<number, TreeNode | undefined>;
  /** The nodes directly under one. */
  readonly children: Readonly<Record<TreeKind, DataLoader<number, TreeNode[]>>>;
  readonly members: DataLoader<MembersKey, SlicePage<number>, string>;
  readonly memberCount: DataLoader<MembersKey, number, string>;
  readonly figures: DataLoader<FiguresKey, Figures, string>;
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
      byId((ids) => services.operators.load(accountId, ids)),
      AT_ONCE,
    ),
    live: new DataLoader(
      byId((ids) => services.live.states(accountId, ids)),
      AT_ONCE,
    ),
    profile: new DataLoader((ids) => services.profiles.load(accountId, ids), AT_ONCE),
    website: new DataLoader(
      byId((ids) => services.websites.load(accountId, ids)),
      AT_ONCE,
    ),
    group: new DataLoader(
      byId((ids) => services.groups.load(accountId, ids)),
      AT_ONCE,
    ),
    skill: new DataLoader(
      byId((ids) => services.skills.load(accountId, ids)),
      AT_ONCE,
    ),
    children: {
      group: new DataLoader((ids) => services.groups.childrenOf(accountId, ids), AT_ONCE),
      skill: new DataLoader((ids) => services.skills.childrenOf(accountId, ids), AT_ONCE),
    },
    members: new DataLoader(
      (keys) =>
        together(keys, ({ kind, filters, slice }, ids) =>
          services.operators.slices.ofMany(accountId, kind, ids, filters, slice),
        ),
      { cacheKeyFn: (key) => JSON.stringify(key) },
    ),
    memberCount: new DataLoader(
      (keys) =>
        together(keys, ({ kind, filters }, ids) => services.operators.slices.countMany(accountId, kind, ids, filters)),
      { cacheKeyFn: (key) => JSON.stringify(key) },
    ),
    figures: new DataLoader(
      (keys) =>
        together(keys, ({ subject, period }, ids) =>
          subject === 'skillId'
            ? services.statistics.ofSkills(caller, { ids, period })
            : services.statistics.of(accountId, { subject, ids, period }),
        ),
      { cacheKeyFn: (key) => JSON.stringify(key) },
    ),
    availability: new DataLoader((questions) => services.skillAvailabilities.answer(accountId, questions), {
      cacheKeyFn: (question) => JSON.stringify(question),
    }),
  };
}

/** Keys that differ only in the identifier are one question; aliases with other arguments make another. */
async function together<Key extends { ownerId: number }, T>(
  keys: readonly Key[],
  ask: (example: Key, ids: readonly number[]) => Promise<readonly T[]>,
): Promise<T[]> {
  const answers = new Map<Key, T>();
  for (const same of Map.groupBy(keys, (key) => JSON.stringify({ ...key, ownerId: 0 })).values()) {
    const found = await ask(
      same[0] as Key,
      same.map((key) => key.ownerId),
    );
    for (const [index, key] of same.entries()) answers.set(key, found[index] as T);
  }
  return keys.map((key) => answers.get(key) as T);
}
