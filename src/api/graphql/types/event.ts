import { GraphQLError } from 'graphql';
import type { AuditEvent, AuditFilter } from '../../../core/events/audit.ts';
import type { SlicePage } from '../../../core/kernel/slice.ts';
import { readSlice, SIZE_ARGUMENTS } from '../../graphql-server/connection.ts';
import { readId, readPosition } from '../../graphql-server/ids.ts';
import { builder, wordsEnum } from '../builder.ts';
import { ActorTypeEnum } from './actor.ts';

const JsonScalar = builder.scalarType('JSON', {
  description: 'Any JSON value, as it is.',
  serialize: (value) => value,
  parseValue: () => {
    throw new GraphQLError('JSON is for answers only.');
  },
});

const ViaEnum = wordsEnum<NonNullable<AuditEvent['via']>>('EventVia', 'Through what a change was made.', {
  rest: 'The REST interface.',
  graphql: 'The GraphQL interface, by a request or over a socket.',
  visitor: 'The interface of visitors.',
  command_line: 'The command line of the installation.',
});

const SubjectRef = builder.objectRef<AuditEvent>('EventSubject').implement({
  description: 'What a change is about.',
  fields: (t) => ({
    type: t.exposeString('subjectType', { description: 'What kind of thing, for example `operator`.' }),
    id: t.exposeID('subjectId', { description: 'Which one. It may be gone.' }),
  }),
});

const EventActorRef = builder.objectRef<AuditEvent>('EventActor').implement({
  description: 'Who made a change, through what, and from where.',
  fields: (t) => ({
    type: t.expose('actorType', { type: ActorTypeEnum, description: 'What kind of somebody.' }),
    id: t.exposeID('actorId', { nullable: true, description: 'Which one, where that is known.' }),
    name: t.string({
      nullable: true,
      description: 'The name of an operator or of a key, as it is now; null for others and for those who are gone.',
      resolve: (event) => event.actorName(),
    }),
    via: t.expose('via', { type: ViaEnum, nullable: true, description: 'Through what; null for the service itself.' }),
    address: t.exposeString('address', {
      nullable: true,
      description: 'From which address, as for the limits of logins; that of visitors is not kept.',
    }),
  }),
});

const EventRef = builder.objectRef<AuditEvent>('Event').implement({
  description: 'A change, as the log of the account keeps it.',
  fields: (t) => ({
    position: t.exposeID('position', { description: 'Its place in the log, without holes: give it as `after`.' }),
    type: t.exposeString('type', { description: 'What happened, for example `operator.updated`.' }),
    subject: t.field({ type: SubjectRef, description: 'What it is about.', resolve: (event) => event }),
    actor: t.field({ type: EventActorRef, description: 'Who did it.', resolve: (event) => event }),
    at: t.expose('at', { type: 'DateTime', description: 'When.' }),
    fields: t.stringList({ description: 'What changed, by name.', resolve: ({ changes }) => [...changes.fields] }),
    values: t.field({
      type: JsonScalar,
      description: 'The new values by name, without those that are personal or secret.',
      resolve: ({ changes }) => changes.values,
    }),
  }),
});

const PageInfoRef = builder.objectRef<SlicePage<AuditEvent>>('EventPageInfo').implement({
  description: 'Where a part of the log stands in it. Its cursors are positions.',
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNext', { description: 'Whether newer ones follow.' }),
    hasPreviousPage: t.exposeBoolean('hasPrevious', { description: 'Whether older ones come before.' }),
    startCursor: t.id({
      nullable: true,
      description: 'Position of the first.',
      resolve: ({ rows }) => rows[0]?.position ?? null,
    }),
    endCursor: t.id({
      nullable: true,
      description: 'Position of the last.',
      resolve: ({ rows }) => rows.at(-1)?.position ?? null,
    }),
  }),
});

const PageRef = builder.objectRef<SlicePage<AuditEvent>>('EventPage').implement({
  description: 'A part of the log of changes, oldest first.',
  fields: (t) => ({
    nodes: t.field({ type: [EventRef], description: 'The changes, in order.', resolve: ({ rows }) => [...rows] }),
    pageInfo: t.field({ type: PageInfoRef, description: 'Where this part stands.', resolve: (page) => page }),
  }),
});

const EventFilterInput = builder.inputType('EventFilter', {
  description: 'Which changes. All that is given must hold.',
  fields: (t) => ({
    types: t.stringList({ description: 'What happened: one of these types, 50 at most.' }),
    subjectType: t.string({ description: 'What kind of thing it is about.' }),
    subjectId: t.id({ description: 'Which one it is about.' }),
    actorType: t.field({ type: ActorTypeEnum, description: 'What kind of somebody did it.' }),
    actorId: t.id({ description: 'Which one did it.' }),
    from: t.field({ type: 'DateTime', description: 'At this moment or later.' }),
    to: t.field({ type: 'DateTime', description: 'Before this moment.' }),
  }),
});

builder.queryField('events', (t) =>
  t.field({
    type: PageRef,
    nullable: true,
    description:
      'Who changed what, when, and from where: the log of the account, oldest first; `last` gives the newest. A position in `after` that is not in the log any more is refused. For admins.',
    args: {
      first: t.arg.int(SIZE_ARGUMENTS.first),
      after: t.arg.id({ description: 'Only what comes after this position.' }),
      last: t.arg.int(SIZE_ARGUMENTS.last),
      before: t.arg.id({ description: 'Only what comes before this position.' }),
      filter: t.arg({ type: EventFilterInput, description: 'Which changes.' }),
    },
    resolve: async (_root, { first, after, last, before, filter }, { caller, services }) => {
      const ends = { after: readPosition('after', after), before: readPosition('before', before) };
      return services.events.audit.page(caller, readFilter(filter ?? {}), { ...readSlice({ first, last }), ...ends });
    },
  }),
);

type GivenFilter = typeof EventFilterInput.$inferInput;

function readFilter({ types, subjectType, subjectId, actorType, actorId, from, to }: GivenFilter): AuditFilter {
  const id = (text: string | null | undefined) =>
    text === null || text === undefined ? undefined : (readId(text) ?? NOBODY);
  return {
    types: types ?? undefined,
    subjectType: subjectType ?? undefined,
    subjectId: id(subjectId),
    actorType: actorType ?? undefined,
    actorId: id(actorId),
    from: from?.getTime(),
    to: to?.getTime(),
  };
}

/** What an identifier that is none means: it matches nothing. */
const NOBODY = 0;
