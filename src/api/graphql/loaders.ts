import type { DeskSettings } from '../../core/access/desk-settings.ts';
import { type ConversationFilters, toManagedScope } from '../../core/engine/conversations/conversation-filter.ts';
import type { NoteKey, NoteWindow } from '../../core/engine/conversations/note-query.ts';
import type { Conversation } from '../../core/engine/records/conversation.ts';
import type { Caller } from '../../core/kernel/caller.ts';
import type { Slice, SlicePage } from '../../core/kernel/slice.ts';
import type { AvailabilityQuery } from '../../core/live/skill-availability.ts';
import type { OperatorFilters } from '../../core/operators/operator-filter.ts';
import type { MembershipKind } from '../../core/operators/operator-slices.ts';
import type { StatisticsFilters, StatisticsSubject } from '../../core/reports/counted-conversations.ts';
import type { Figures } from '../../core/reports/statistics.ts';
import { createConversationLoaders } from '../graphql-server/conversation-loaders.ts';
import { createLoaderFactory } from '../graphql-server/loaders.ts';
import type { OperationTurns } from '../graphql-server/turns.ts';
import type { GraphqlServices } from './services.ts';

export interface MembersKey {
  readonly kind: MembershipKind;
  readonly ownerId: number;
  readonly filters: OperatorFilters;
}

export interface ConversationSliceKey {
  readonly filters: ConversationFilters;
  readonly slice: Slice;
}

export interface FiguresKey {
  readonly subject: StatisticsSubject;
  readonly ownerId: number;
  readonly filters: StatisticsFilters;
}

interface NotesKey {
  readonly ownerId: number;
  readonly window: NoteWindow;
}

/** Each note adds a condition to the statement. */
const MAX_NOTES_PER_READ = 100;

/** Figures with their key, for fields that are loaded only if selected. */
export type KeyedFigures = Figures & { readonly key: FiguresKey };

export type Loaders = ReturnType<typeof createLoaders>;

/** Creates the loaders of one request: lookups of the same kind become one statement. */
export function createLoaders(
  caller: Caller,
  { access, administration, attachments, engine, events, reports, visitors }: GraphqlServices,
  turns: OperationTurns,
) {
  const { accountId } = caller;
  const { createIdLoader, createKeyLoader, createOrderedLoader, createOwnerLoader } = createLoaderFactory(turns);
  const { operatorQuery, profiles, websites, groups, skills, tags } = administration;
  let now: Promise<number> | undefined;
  let settings: Promise<DeskSettings> | undefined;
  return {
    /** The database's time, the same for the whole request. */
    now: () => {
      now ??= events.log.readPositionAndTime(accountId).then((row) => row.now);
      return now;
    },
    operator: createIdLoader((ids) => operatorQuery.load(accountId, ids)),
    live: createIdLoader((ids) => engine.live.loadStates(accountId, ids)),
    liveChanges: createIdLoader((ids) => engine.live.loadChanges(accountId, ids)),
    twoFactor: createIdLoader((ids) => access.twoFactorQuery.load(accountId, ids)),
    profile: createOrderedLoader((ids) => profiles.load(accountId, ids)),
    sessions: createOrderedLoader((ids) => access.sessions.load(accountId, ids)),
    failedLogins: createKeyLoader((emails: readonly string[]) => access.failedLogins.loadNewest(emails)),
    website: createIdLoader((ids) => websites.load(accountId, ids)),
    group: createIdLoader((ids) => groups.load(accountId, ids)),
    skill: createIdLoader((ids) => skills.load(accountId, ids)),
    children: {
      group: createOrderedLoader((ids) => groups.loadChildren(accountId, ids)),
      skill: createOrderedLoader((ids) => skills.loadChildren(accountId, ids)),
    },
    members: createOwnerLoader(
      ({ kind, filters, slice }: MembersKey & { readonly slice: Slice }, ids) =>
        operatorQuery.sliceMembers(accountId, kind, ids, filters, slice),
      ({ slice }) => slice.limit,
    ),
    memberCount: createOwnerLoader(({ kind, filters }: MembersKey, ids) =>
      operatorQuery.countMembers(accountId, kind, ids, filters),
    ),
    visitorPresence: createIdLoader((ids) => engine.visitorPresence.load(accountId, ids)),
    deskSettings: () => {
      settings ??= access.accounts.loadDeskSettings(accountId);
      return settings;
    },
    /** Whether the viewer could serve a conversation. */
    couldServe: createOrderedLoader(async (ids) => {
      const found = await engine.conversations.filterServable(caller, ids);
      return ids.map((id) => found.has(id));
    }),
    /** Whether the viewer has an offered or active conversation with a visitor. */
    servesVisitor: createOrderedLoader(async (ids) => {
      const found = await engine.conversations.filterServedVisitors(caller, ids);
      return ids.map((id) => found.has(id));
    }),
    conversations: {
      ...createConversationLoaders(accountId, 'operator', engine, attachments, turns),
      byId: createIdLoader((ids) => engine.conversationQuery.load(accountId, ids)),
      /** One after the other, so that the lists of many visitors do not take all lanes of slow reads. */
      slice: createKeyLoader(async (keys: readonly ConversationSliceKey[]) => {
        const pages: SlicePage<Conversation>[] = [];
        for (const { filters, slice } of keys)
          pages.push(await engine.conversationQuery.slice(accountId, filters, slice));
        return pages;
      }),
      tagIds: createOrderedLoader(async (ids) => {
        const lists = await tags.loadTagIds(accountId, ids);
        return ids.map((id) => lists.get(id) ?? []);
      }),
    },
    note: createKeyLoader(
      (keys: readonly NoteKey[]) => engine.noteQuery.loadByKeys(accountId, keys),
      MAX_NOTES_PER_READ,
    ),
    notes: createOwnerLoader(
      ({ window }: NotesKey, ids) => engine.noteQuery.loadWindows(accountId, ids, window),
      ({ window }) => window.limit,
    ),
    tag: createIdLoader((ids) => tags.load(accountId, ids)),
    visitor: createIdLoader((ids) => visitors.query.load(accountId, ids)),
    visitorContext: createIdLoader((ids) => visitors.contexts.load(accountId, ids)),
    figures: createOwnerLoader(async (key: FiguresKey, ids): Promise<KeyedFigures[]> => {
      const figuresList = await reports.statistics.compute(accountId, toStatisticsRequest(caller, key, ids));
      return figuresList.map((figures, index) => ({ ...figures, key: { ...key, ownerId: ids[index] as number } }));
    }),
    connectedSeconds: createOwnerLoader((key: FiguresKey, ids) =>
      reports.connectedTime.sumSeconds(accountId, toStatisticsRequest(caller, key, ids)),
    ),
    simultaneousNumber: createOwnerLoader((key: FiguresKey, ids) =>
      reports.simultaneousConversations.average(accountId, toStatisticsRequest(caller, key, ids)),
    ),
    availability: createKeyLoader((queries: readonly AvailabilityQuery[]) =>
      engine.skillAvailabilities.read(accountId, queries),
    ),
  };
}

/**
 * A caller who can read an operator's details can read all their figures. For every other subject, managers see only
 * the figures of their groups.
 */
function toStatisticsRequest(caller: Caller, { subject, filters }: FiguresKey, ids: readonly number[]) {
  return { subject, ids, filters: subject === 'operator' ? filters : { ...filters, scope: toManagedScope(caller) } };
}

/** Omits rows that were deleted between two reads of one request. */
export function omitMissing<T extends object>(rows: readonly (T | undefined | Error)[]): T[] {
  return rows.filter((row): row is T => row !== undefined && !(row instanceof Error));
}
