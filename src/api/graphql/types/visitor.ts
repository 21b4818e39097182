import { managedReach } from '../../../core/engine/conversations/conversation-filter.ts';
import type { Satisfaction } from '../../../core/engine/records/satisfaction-store.ts';
import type { Visitor } from '../../../core/visitors/visitor-query.ts';
import { listOf } from '../../graphql-server/connection.ts';
import { readId } from '../../graphql-server/ids.ts';
import { loadOrNull } from '../../graphql-server/loaders.ts';
import { builder, connectionField, connectionType } from '../builder.ts';
import { idFilter, textFilter } from '../filters.ts';
import { existing } from '../loaders.ts';
import { WebsiteRef } from './directory.ts';
import { OperatorRef } from './operator.ts';
import { readPeriod } from './statistics.ts';

/** Whoever comes to a visitor by a field may read all of them: that field decides. */
export const VisitorRef = builder.objectRef<Visitor>('Visitor').implement({
  description: 'Somebody who talked to operators. Fields never filled are empty.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier.' }),
    uniqueId: t.exposeString('uniqueId', { description: 'The name in which the visitor is known outside.' }),
    externalId: t.exposeString('externalId', {
      nullable: true,
      description: "The client's own identifier, if the website vouched for it.",
    }),
    lastname: t.exposeString('lastname', { description: 'Family name.' }),
    firstname: t.exposeString('firstname', { description: 'First name.' }),
    address: t.exposeString('address', { description: 'Street and number.' }),
    city: t.exposeString('city', { description: 'City.' }),
    zip: t.exposeString('zip', { description: 'Postal code.' }),
    country: t.exposeString('country', { description: 'Country.' }),
    phone: t.exposeString('phone', { description: 'Phone number.' }),
    email: t.exposeString('email', { description: 'E-mail.' }),
    browser: t.exposeString('browser', { description: 'What the browser says that it is.' }),
    websites: t.field({
      type: [WebsiteRef],
      description: 'The websites where the visitor was.',
      resolve: async ({ websiteList }, _args, { load }) => existing(await load.website.loadMany(websiteList)),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When they first came.' }),
  }),
});

export const SatisfactionRef = builder.objectRef<Satisfaction>('Satisfaction').implement({
  description: 'What a visitor thought of a conversation: notes from 1 to 5, and words.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier.' }),
    noteWelcome: t.exposeInt('noteWelcome', { description: 'Note for the welcome.' }),
    noteResolution: t.exposeInt('noteResolution', { description: 'Note for the resolution.' }),
    noteDelay: t.exposeInt('noteDelay', { description: 'Note for the delay; `node_delay` in REST.' }),
    comment: t.exposeString('comment', { description: 'What the visitor wrote.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was answered.' }),
    conversationId: t.exposeID('conversationId', { description: 'The conversation, by its identifier.' }),
    website: t.field({
      type: WebsiteRef,
      nullable: true,
      description: 'The website of the conversation, if it still is one.',
      resolve: ({ websiteId }, _args, { load }) => loadOrNull(load.website, websiteId),
    }),
    operator: t.field({
      type: OperatorRef,
      nullable: true,
      description: 'Whom it is about, if they are still there.',
      resolve: ({ operatorId }, _args, { load }) => loadOrNull(load.operator, operatorId),
    }),
  }),
});

const VisitorConnection = connectionType('Visitor', VisitorRef);
const SatisfactionConnection = connectionType('Satisfaction', SatisfactionRef);

const VisitorFilterInput = builder.inputType('VisitorFilter', {
  description: 'All that is given must hold. Texts compare without case; `*` matches any run of characters.',
  fields: (t) => ({
    id: t.string({ description: 'An identifier, a comma-separated list, or digits with `*`.' }),
    uniqueId: t.string({ description: 'The name in which the visitor is known outside.' }),
    externalId: t.string({ description: "The client's own identifier." }),
    websiteId: t.string({ description: 'Was on this website.' }),
  }),
});

const SatisfactionFilterInput = builder.inputType('SatisfactionFilter', {
  description: 'All that is given must hold.',
  fields: (t) => ({
    id: t.string({ description: 'An identifier, a comma-separated list, or digits with `*`.' }),
    websiteId: t.string({ description: 'Of conversations on this website.' }),
    operatorId: t.string({ description: 'About this operator.' }),
    conversationId: t.string({ description: 'Of this conversation.' }),
    from: t.field({ type: 'DateTime', description: 'Answered at this moment or later.' }),
    to: t.field({ type: 'DateTime', description: 'Answered before this moment.' }),
  }),
});

builder.queryFields((t) => ({
  visitor: t.field({
    type: VisitorRef,
    nullable: true,
    description:
      'A visitor by their identifier. For admins; for managers, if the visitor had a conversation of their groups.',
    args: { id: t.arg.id({ required: true, description: 'Identifier.' }) },
    resolve: async (_root, { id: text }, { caller, services }) => {
      const reach = managedReach(caller);
      const id = readId(text);
      if (id === undefined) return null;
      if (!reach) return (await services.visitors.query.find(caller.accountId, id)) ?? null;
      const filters = { id: { kind: 'ids', ids: [id] }, reach } as const;
      return (
        (await services.visitors.query.slice(caller.accountId, filters, { limit: 1, backwards: false })).rows[0] ?? null
      );
    },
  }),
  visitors: connectionField(t, {
    type: VisitorConnection,
    nullable: true,
    description: 'The visitors of the account. For admins; for managers, those who had a conversation of their groups.',
    args: { filter: t.arg({ type: VisitorFilterInput, description: 'Which ones.' }) },
    list: (_root, { filter }, { caller, services }) =>
      listOf(services.visitors.query, caller.accountId, {
        id: idFilter('id', filter?.id),
        uniqueId: textFilter('uniqueId', filter?.uniqueId),
        externalId: textFilter('externalId', filter?.externalId),
        websiteId: idFilter('websiteId', filter?.websiteId),
        reach: managedReach(caller),
      }),
  }),
  satisfaction: t.field({
    type: SatisfactionRef,
    nullable: true,
    description:
      'An answered survey by its identifier. For admins; for managers, if it is about an operator of their groups.',
    args: { id: t.arg.id({ required: true, description: 'Identifier.' }) },
    resolve: async (_root, { id: text }, { caller, services }) => {
      const groups = managedReach(caller)?.groups;
      const id = readId(text);
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
    description: 'The answered surveys. For admins; for managers, those about operators of their groups.',
    args: { filter: t.arg({ type: SatisfactionFilterInput, description: 'Which ones.' }) },
    list: (_root, { filter }, { caller, services }) =>
      listOf(services.engine.satisfactionQuery, caller.accountId, {
        id: idFilter('id', filter?.id),
        websiteId: idFilter('websiteId', filter?.websiteId),
        operatorId: idFilter('operatorId', filter?.operatorId),
        conversationId: idFilter('conversationId', filter?.conversationId),
        period: readPeriod(filter ?? {}),
        groups: managedReach(caller)?.groups,
      }),
  }),
}));
