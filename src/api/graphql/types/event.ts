import { GraphQLError } from 'graphql';
import type { AuditEvent, AuditFilter } from '../../../core/events/audit.ts';
import type { SlicePage } from '../../../core/kernel/slice.ts';
import { parseSlice, SIZE_ARGUMENTS } from '../../graphql-server/connection.ts';
import { parseIdArgument, parsePosition } from '../../graphql-server/ids.ts';
import { builder, createEnum } from '../builder.ts';
import { ActorTypeEnum } from './actor.ts';

const JsonScalar = builder.scalarType('JSON', {
  description: 'Any JSON value.',
  serialize: (value) => value,
  parseValue: () => {
    throw new GraphQLError('JSON is an output type and cannot be used in inputs.');
  },
});

const ViaEnum = createEnum<NonNullable<AuditEvent['via']>>(
  'EventVia',
  'The interface through which a change was made.',
  {
    rest: 'The REST API.',
    graphql: 'The GraphQL API, over HTTP or WebSocket.',
    visitor: "The visitors' API.",
    command_line: 'The command line of the installation.',
    password_link: 'A link to set a password.',
    session: 'Log-in and log-out with a browser.',
  },
);

const SubjectRef = builder.objectRef<AuditEvent>('EventSubject').implement({
  description: 'The object that was changed.',
  fields: (t) => ({
    type: t.exposeString('subjectType', { description: 'The kind of object, for example `operator`.' }),
    id: t.exposeID('subjectId', { description: 'The identifier of the object. It may have been deleted since.' }),
  }),
});

const EventActorRef = builder.objectRef<AuditEvent>('EventActor').implement({
  description: 'Who made a change, through which interface and from where.',
  fields: (t) => ({
    type: t.expose('actorType', { type: ActorTypeEnum, description: 'The kind of actor.' }),
    id: t.exposeID('actorId', { nullable: true, description: 'The identifier of the actor, if known.' }),
    name: t.string({
      nullable: true,
      description: 'The current name of an operator or API key. Null for other actors and for deleted ones.',
      resolve: (event) => event.actorName(),
    }),
    via: t.expose('via', { type: ViaEnum, nullable: true, description: 'The interface. Null for the service itself.' }),
    address: t.exposeString('address', {
      nullable: true,
      description: 'The IP address, as used by the login rate limits. Not stored for visitors.',
    }),
  }),
});

const EventRef = builder.objectRef<AuditEvent>('Event').implement({
  description: 'A change in the event log of the account.',
  fields: (t) => ({
    position: t.exposeID('position', {
      description: 'The position in the event log, without gaps. Pass it as `after` to continue from here.',
    }),
    type: t.exposeString('type', { description: 'The type of event, for example `operator.updated`.' }),
    subject: t.field({ type: SubjectRef, description: 'The object that was changed.', resolve: (event) => event }),
    actor: t.field({ type: EventActorRef, description: 'Who made the change.', resolve: (event) => event }),
    at: t.expose('at', { type: 'DateTime', description: 'When the change was made.' }),
    fields: t.stringList({
      description: 'The names of the changed fields.',
      resolve: ({ changes }) => [...changes.fields],
    }),
    values: t.field({
      type: JsonScalar,
      description: 'The new values by field name, without personal data and secrets.',
      resolve: ({ changes }) => changes.values,
    }),
  }),
});

const PageInfoRef = builder.objectRef<SlicePage<AuditEvent>>('EventPageInfo').implement({
  description: 'Information about paging in the event log. The cursors are positions.',
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNext', { description: 'Whether there are newer events after this page.' }),
    hasPreviousPage: t.exposeBoolean('hasPrevious', {
      description: 'Whether there are older events before this page.',
    }),
    startCursor: t.id({
      nullable: true,
      description: 'The position of the first event on this page.',
      resolve: ({ rows }) => rows[0]?.position ?? null,
    }),
    endCursor: t.id({
      nullable: true,
      description: 'The position of the last event on this page.',
      resolve: ({ rows }) => rows.at(-1)?.position ?? null,
    }),
  }),
});

const PageRef = builder.objectRef<SlicePage<AuditEvent>>('EventPage').implement({
  description: 'A page of the event log, oldest first.',
  fields: (t) => ({
    nodes: t.field({ type: [EventRef], description: 'The events, oldest first.', resolve: ({ rows }) => [...rows] }),
    pageInfo: t.field({ type: PageInfoRef, description: 'Information about paging.', resolve: (page) => page }),
  }),
});

const EventFilterInput = builder.inputType('EventFilter', {
  description: 'Filters for events. All of them must match.',
  fields: (t) => ({
    types: t.stringList({ description: 'One of these event types, at most 50.' }),
    subjectType: t.string({ description: 'The kind of object that was changed.' }),
    subjectId: t.id({ description: 'The identifier of the object that was changed.' }),
    actorType: t.field({ type: ActorTypeEnum, description: 'The kind of actor.' }),
    actorId: t.id({ description: 'The identifier of the actor.' }),
    from: t.field({ type: 'DateTime', description: 'At this time or later.' }),
    to: t.field({ type: 'DateTime', description: 'Before this time.' }),
  }),
});

builder.queryField('events', (t) =>
  t.field({
    type: PageRef,
    nullable: true,
    description:
      'The event log of the account, oldest first: who changed what, when and from where. Use `last` for the newest events. A position in `after` that is no longer in the log is rejected. Admins only.',
    args: {
      first: t.arg.int(SIZE_ARGUMENTS.first),
      after: t.arg.id({ description: 'Returns the events after this position.' }),
      last: t.arg.int(SIZE_ARGUMENTS.last),
      before: t.arg.id({ description: 'Returns the events before this position.' }),
      filter: t.arg({ type: EventFilterInput, description: 'Filters for the events.' }),
    },
    resolve: async (_root, { first, after, last, before, filter }, { caller, services }) => {
      const bounds = { after: parsePosition('after', after), before: parsePosition('before', before) };
      return services.events.audit.page(caller, toAuditFilter(filter ?? {}), {
        ...parseSlice({ first, last }),
        ...bounds,
      });
    },
  }),
);

type EventFilterValues = typeof EventFilterInput.$inferInput;

function toAuditFilter({
  types,
  subjectType,
  subjectId,
  actorType,
  actorId,
  from,
  to,
}: EventFilterValues): AuditFilter {
  const toId = (text: string | null | undefined) =>
    text === null || text === undefined ? undefined : (parseIdArgument(text) ?? NO_MATCH);
  return {
    types: types ?? undefined,
    subjectType: subjectType ?? undefined,
    subjectId: toId(subjectId),
    actorType: actorType ?? undefined,
    actorId: toId(actorId),
    from: from?.getTime(),
    to: to?.getTime(),
  };
}

/** Used for identifiers that are not valid: matches nothing. */
const NO_MATCH = 0;
