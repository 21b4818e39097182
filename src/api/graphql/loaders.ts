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
import { createLoaderFactory, createOnUse, type LoaderFactory, readOnce } from '../graphql-server/loaders.ts';
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

interface LoaderScope {
  readonly accountId: number;
  readonly caller: Caller;
  readonly services: GraphqlServices;
  readonly turns: OperationTurns;
  readonly create: LoaderFactory;
}

/** Creates the loaders of one request: lookups of the same kind become one statement. */
export function createLoaders(caller: Caller, services: GraphqlServices, turns: OperationTurns) {
  return createScopeLoaders({
    ...{ accountId: caller.accountId, caller, services, turns },
    create: createLoaderFactory(turns),
  });
}

const createScopeLoaders = createOnUse<LoaderScope>()({
  /** The database's time, the same for the whole request. */
  now: ({ accountId, services: { events } }) =>
    readOnce(() => events.log.readPositionAndTime(accountId).then((row) => row.now)),
  operator: ({ accountId, services, create }) =>
    create.createIdLoader((ids) => services.administration.operatorQuery.load(accountId, ids)),
  live: ({ accountId, services, create }) =>
    create.createIdLoader((ids) => services.engine.live.loadStates(accountId, ids)),
  liveChanges: ({ accountId, services, create }) =>
    create.createIdLoader((ids) => services.engine.live.loadChanges(accountId, ids)),
  twoFactor: ({ accountId, services, create }) =>
    create.createIdLoader((ids) => services.access.twoFactorQuery.load(accountId, ids)),
  profile: ({ accountId, services, create }) =>
    create.createOrderedLoader((ids) => services.administration.profiles.load(accountId, ids)),
  sessions: ({ accountId, services, create }) =>
    create.createOrderedLoader((ids) => services.access.sessions.load(accountId, ids)),
  failedLogins: ({ services, create }) =>
    create.createKeyLoader((emails: readonly string[]) => services.access.failedLogins.loadNewest(emails)),
  website: ({ accountId, services, create }) =>
    create.createIdLoader((ids) => services.administration.websites.load(accountId, ids)),
  group: ({ accountId, services, create }) =>
    create.createIdLoader((ids) => services.administration.groups.load(accountId, ids)),
  skill: ({ accountId, services, create }) =>
    create.createIdLoader((ids) => services.administration.skills.load(accountId, ids)),
  children: ({ accountId, services, create }) => ({
    group: create.createOrderedLoader((ids) => services.administration.groups.loadChildren(accountId, ids)),
    skill: create.createOrderedLoader((ids) => services.administration.skills.loadChildren(accountId, ids)),
  }),
  members: ({ accountId, services, create }) =>
    create.createOwnerLoader(
      ({ kind, filters, slice }: MembersKey & { readonly slice: Slice }, ids) =>
        services.administration.operatorQuery.sliceMembers(accountId, kind, ids, filters, slice),
      ({ slice }) => slice.limit,
    ),
  memberCount: ({ accountId, services, create }) =>
    create.createOwnerLoader(({ kind, filters }: MembersKey, ids) =>
      services.administration.operatorQuery.countMembers(accountId, kind, ids, filters),
    ),
  visitorPresence: ({ accountId, services, create }) =>
    create.createIdLoader((ids) => services.engine.visitorPresence.load(accountId, ids)),
  deskSettings: ({ accountId, services: { access } }) => readOnce(() => access.accounts.loadDeskSettings(accountId)),
  /** Whether the viewer could serve a conversation. */
  couldServe: ({ caller, services, create }) =>
    create.createOrderedLoader(async (ids) => {
      const found = await services.engine.conversations.filterServable(caller, ids);
      return ids.map((id) => found.has(id));
    }),
  /** Whether the viewer has an offered or active conversation with a visitor. */
  servesVisitor: ({ caller, services, create }) =>
    create.createOrderedLoader(async (ids) => {
      const found = await services.engine.conversations.filterServedVisitors(caller, ids);
      return ids.map((id) => found.has(id));
    }),
  conversations: ({ accountId, services: { engine, attachments, administration }, create, turns }) => ({
    ...createConversationLoaders(accountId, 'operator', engine, attachments, turns),
    byId: create.createIdLoader((ids) => engine.conversationQuery.load(accountId, ids)),
    /** One after the other, so that the lists of many visitors do not take all lanes of slow reads. */
    slice: create.createKeyLoader(async (keys: readonly ConversationSliceKey[]) => {
      const pages: SlicePage<Conversation>[] = [];
      for (const { filters, slice } of keys)
        pages.push(await engine.conversationQuery.slice(accountId, filters, slice));
      return pages;
    }),
    tagIds: create.createOrderedLoader(async (ids) => {
      const lists = await administration.tags.loadTagIds(accountId, ids);
      return ids.map((id) => lists.get(id) ?? []);
    }),
  }),
  note: ({ accountId, services, create }) =>
    create.createKeyLoader(
      (keys: readonly NoteKey[]) => services.engine.noteQuery.loadByKeys(accountId, keys),
      MAX_NOTES_PER_READ,
    ),
  notes: ({ accountId, services, create }) =>
    create.createOwnerLoader(
      ({ window }: NotesKey, ids) => services.engine.noteQuery.loadWindows(accountId, ids, window),
      ({ window }) => window.limit,
    ),
  tag: ({ accountId, services, create }) =>
    create.createIdLoader((ids) => services.administration.tags.load(accountId, ids)),
  visitor: ({ accountId, services, create }) =>
    create.createIdLoader((ids) => services.visitors.query.load(accountId, ids)),
  visitorContext: ({ accountId, services, create }) =>
    create.createIdLoader((ids) => services.visitors.contexts.load(accountId, ids)),
  figures: ({ accountId, caller, services, create }) =>
    create.createOwnerLoader(async (key: FiguresKey, ids): Promise<KeyedFigures[]> => {
      const request = toStatisticsRequest(caller, key, ids);
      const figuresList = await services.reports.statistics.compute(accountId, request);
      return figuresList.map((figures, index) => ({ ...figures, key: { ...key, ownerId: ids[index] as number } }));
    }),
  connectedSeconds: ({ accountId, caller, services, create }) =>
    create.createOwnerLoader((key: FiguresKey, ids) =>
      services.reports.connectedTime.sumSeconds(accountId, toStatisticsRequest(caller, key, ids)),
    ),
  simultaneousNumber: ({ accountId, caller, services, create }) =>
    create.createOwnerLoader((key: FiguresKey, ids) =>
      services.reports.simultaneousConversations.average(accountId, toStatisticsRequest(caller, key, ids)),
    ),
  availability: ({ accountId, services, create }) =>
    create.createKeyLoader((queries: readonly AvailabilityQuery[]) =>
      services.engine.skillAvailabilities.read(accountId, queries),
    ),
});

/**
 * A caller who can read an operator's details can read all their figures. For every other subject, managers see only
 * the figures of their groups.
 */
function toStatisticsRequest(caller: Caller, { subject, filters }: FiguresKey, ids: readonly number[]) {
  return { subject, ids, filters: subject === 'operator' ? filters : { ...filters, scope: toManagedScope(caller) } };
}
