import { toManagedScope } from '../../../core/engine/conversations/conversation-filter.ts';
import type { Satisfaction } from '../../../core/engine/records/satisfaction-store.ts';
import { isManager } from '../../../core/kernel/caller.ts';
import type { Visitor } from '../../../core/visitors/visitor-query.ts';
import { toSlicedList } from '../../graphql-server/connection.ts';
import { forbiddenError } from '../../graphql-server/errors.ts';
import { parseIdArgument } from '../../graphql-server/ids.ts';
import { loadOrNull } from '../../graphql-server/loaders.ts';
import { builder, connectionField, connectionType } from '../builder.ts';
import { toIdFilter, toTextFilter } from '../filters.ts';
import { WebsiteRef } from './directory.ts';
import { OperatorRef } from './operator.ts';
import { toPeriod } from './statistics.ts';

/** Has no permission checks: the fields that return a visitor check access. */
export const VisitorRef = builder.objectRef<Visitor>('Visitor').implement({
  description: 'A visitor of a website. Fields without a value are empty strings.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The identifier of the visitor.' }),
    uniqueId: t.exposeString('uniqueId', { description: 'The public identifier of the visitor.' }),
    externalId: t.exposeString('externalId', {
      nullable: true,
      description: "The website's identifier for the visitor, if the website signed it.",
    }),
    lastname: t.exposeString('lastname', { description: 'The last name.' }),
    firstname: t.exposeString('firstname', { description: 'The first name.' }),
    address: t.exposeString('address', { description: 'The street and number.' }),
    city: t.exposeString('city', { description: 'The city.' }),
    zip: t.exposeString('zip', { description: 'The postal code.' }),
    country: t.exposeString('country', { description: 'The country.' }),
    phone: t.exposeString('phone', { description: 'The phone number.' }),
    email: t.exposeString('email', { description: 'The e-mail address.' }),
    browser: t.exposeString('browser', { description: 'The browser, as reported by its user agent.' }),
    websites: t.field({
      type: [WebsiteRef],
      description: 'The websites that the visitor has used.',
      resolve: ({ websiteList }, _args, { load }) => load.website.loadAll(websiteList),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the visitor was first seen.' }),
  }),
});

export const SatisfactionRef = builder.objectRef<Satisfaction>('Satisfaction').implement({
  description: 'The answer to a satisfaction survey: ratings from 1 to 5, and a comment.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The identifier of the answer.' }),
    noteWelcome: t.exposeInt('noteWelcome', { description: 'The rating of the welcome.' }),
    noteResolution: t.exposeInt('noteResolution', { description: 'The rating of the resolution.' }),
    noteDelay: t.exposeInt('noteDelay', {
      description: 'The rating of the delay. Called `node_delay` in the REST API.',
    }),
    comment: t.exposeString('comment', { description: "The visitor's comment." }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the survey was answered.' }),
    conversationId: t.exposeID('conversationId', { description: 'The identifier of the conversation.' }),
    website: t.field({
      type: WebsiteRef,
      nullable: true,
      description: 'The website of the conversation. Null if it was deleted.',
      resolve: ({ websiteId }, _args, { load }) => loadOrNull(load.website, websiteId),
    }),
    operator: t.field({
      type: OperatorRef,
      nullable: true,
      description: 'The rated operator. Null if they were deleted.',
      resolve: ({ operatorId }, _args, { load }) => loadOrNull(load.operator, operatorId),
    }),
  }),
});

const VisitorConnection = connectionType('Visitor', VisitorRef);
const SatisfactionConnection = connectionType('Satisfaction', SatisfactionRef);

const VisitorFilterInput = builder.inputType('VisitorFilter', {
  description:
    'Filters for visitors. All of them must match. Text is compared case-insensitively; `*` matches any characters.',
  fields: (t) => ({
    id: t.string({ description: 'An identifier, a comma-separated list, or digits with `*`.' }),
    uniqueId: t.string({ description: 'The public identifier of the visitor.' }),
    externalId: t.string({ description: 'The external identifier.' }),
    websiteId: t.string({ description: 'Has used this website.' }),
  }),
});

const SatisfactionFilterInput = builder.inputType('SatisfactionFilter', {
  description: 'Filters for survey answers. All of them must match.',
  fields: (t) => ({
    id: t.string({ description: 'An identifier, a comma-separated list, or digits with `*`.' }),
    websiteId: t.string({ description: 'For conversations on this website.' }),
    operatorId: t.string({ description: 'For this operator.' }),
    conversationId: t.string({ description: 'For this conversation.' }),
    from: t.field({ type: 'DateTime', description: 'Answered at this time or later.' }),
    to: t.field({ type: 'DateTime', description: 'Answered before this time.' }),
  }),
});

builder.queryFields((t) => ({
  visitor: t.field({
    type: VisitorRef,
    nullable: true,
    description:
      'A visitor by identifier. Available to admins, to managers if the visitor had a conversation with their groups, to operators if the visitor had one with them, and to experts while they have one.',
    args: { id: t.arg.id({ required: true, description: 'The identifier of the visitor.' }) },
    resolve: async (_root, { id: idText }, { caller, services }) => {
      const id = parseIdArgument(idText);
      if (id !== undefined && (await services.visitors.details.canRead(caller, id)))
        return (await services.visitors.query.find(caller.accountId, id)) ?? null;
      if (isManager(caller)) return null;
      throw forbiddenError();
    },
  }),
  visitors: connectionField(t, {
    type: VisitorConnection,
    nullable: true,
    description:
      'The visitors of the account. Admins see all visitors, managers the visitors who had a conversation with their groups.',
    args: { filter: t.arg({ type: VisitorFilterInput, description: 'Filters for the visitors.' }) },
    list: (_root, { filter }, { caller, services }) =>
      toSlicedList(services.visitors.query, caller.accountId, {
        id: toIdFilter('id', filter?.id),
        uniqueId: toTextFilter('uniqueId', filter?.uniqueId),
        externalId: toTextFilter('externalId', filter?.externalId),
        websiteId: toIdFilter('websiteId', filter?.websiteId),
        scope: toManagedScope(caller),
      }),
  }),
  satisfaction: t.field({
    type: SatisfactionRef,
    nullable: true,
    description:
      'A survey answer by its identifier. Available to admins, and to managers for operators of their groups.',
    args: { id: t.arg.id({ required: true, description: 'The identifier of the answer.' }) },
    resolve: async (_root, { id: idText }, { caller, services }) => {
      const groups = toManagedScope(caller)?.groups;
      const id = parseIdArgument(idText);
      if (id === undefined) return null;
      const filters = { id: { kind: 'ids', ids: [id] }, groups } as const;
      const page = await services.engine.satisfactionQuery.slice(caller.accountId, filters, {
        limit: 1,
        backwards: false,
      });
      return page.rows[0] ?? null;
    },
  }),
  satisfactions: connectionField(t, {
    type: SatisfactionConnection,
    nullable: true,
    description:
      'The survey answers of the account. Admins see all answers, managers the answers for operators of their groups.',
    args: { filter: t.arg({ type: SatisfactionFilterInput, description: 'Filters for the survey answers.' }) },
    list: (_root, { filter }, { caller, services }) =>
      toSlicedList(services.engine.satisfactionQuery, caller.accountId, {
        id: toIdFilter('id', filter?.id),
        websiteId: toIdFilter('websiteId', filter?.websiteId),
        operatorId: toIdFilter('operatorId', filter?.operatorId),
        conversationId: toIdFilter('conversationId', filter?.conversationId),
        period: toPeriod(filter ?? {}),
        groups: toManagedScope(caller)?.groups,
      }),
  }),
}));
