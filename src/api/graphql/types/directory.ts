import type { TreeNode } from '../../../core/directory/tree.ts';
import { absenceSchema, originsSchema, type Website } from '../../../core/directory/website.ts';
import { toSlicedList } from '../../graphql-server/connection.ts';
import { parseIdArgument } from '../../graphql-server/ids.ts';
import { loadOrNull } from '../../graphql-server/loaders.ts';
import { builder, connectionField, connectionType } from '../builder.ts';
import { toIdFilter, toTextFilter } from '../filters.ts';

export const WebsiteRef = builder.objectRef<Website>('Website');
export const GroupRef = builder.objectRef<TreeNode>('Group');
export const SkillRef = builder.objectRef<TreeNode>('Skill');

WebsiteRef.implement({
  description: 'A website of the account.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The identifier of the website.' }),
    url: t.exposeString('url', { description: 'The URL of the website.' }),
    label: t.exposeString('label', { description: 'The name of the website.' }),
    currency: t.exposeString('currency', { description: 'The currency (ISO 4217).' }),
    languageAdmin: t.exposeString('languageAdmin', { description: 'The language of the admin interface.' }),
    timezone: t.exposeString('timezone', { description: 'The time zone (IANA).' }),
    allowedOrigins: t.stringList({
      description: originsSchema.meta()?.description ?? '',
      resolve: ({ allowedOrigins }) => [...allowedOrigins],
    }),
    waitingAbsenceMinutes: t.exposeInt('waitingAbsenceMinutes', {
      description: absenceSchema.shape.waitingAbsenceMinutes.meta()?.description ?? '',
    }),
    activeAbsenceMinutes: t.exposeInt('activeAbsenceMinutes', {
      description: absenceSchema.shape.activeAbsenceMinutes.meta()?.description ?? '',
    }),
    visitorSecret: t.string({
      nullable: true,
      description:
        'The secret with which the website signs the `externalId` of its visitors (HMAC-SHA256, hexadecimal). Admins and write keys only.',
      resolve: (website, _args, { caller, services }) =>
        services.administration.websites.deriveVisitorSecret(caller, website),
    }),
    identitySecret: t.string({
      nullable: true,
      description:
        'The secret with which the website signs identity tokens (JWT, HS256): another one than `visitorSecret`. Admins and write keys only.',
      resolve: (website, _args, { caller, services }) =>
        services.administration.websites.deriveIdentitySecret(caller, website),
    }),
  }),
});

for (const [ref, kind] of [
  [GroupRef, 'group'],
  [SkillRef, 'skill'],
] as const) {
  ref.implement({
    description:
      kind === 'group'
        ? 'A group of operators, in a tree of groups.'
        : 'A subject that operators can help with, in a tree of skills. Replaces the operator resource of the REST API.',
    fields: (t) => ({
      id: t.exposeID('id', { description: `The identifier of the ${kind}.` }),
      name: t.exposeString('name', { description: `The name of the ${kind}.` }),
      createdAt: t.expose('createdAt', { type: 'DateTime', description: `When the ${kind} was created.` }),
      parent: t.field({
        type: ref,
        nullable: true,
        description: `The parent ${kind}. Null at the top level.`,
        resolve: ({ parentId }, _args, { load }) => loadOrNull(load[kind], parentId),
      }),
      children: t.field({
        type: [ref],
        description: `The direct children of the ${kind}.`,
        resolve: (node, _args, { load }) => load.children[kind].load(node.id),
      }),
    }),
  });
}

builder.objectField(SkillRef, 'order', (t) => t.exposeInt('order', { description: 'The sort order in lists.' }));

const TreeFilterInputs = { group: createTreeFilter('Group'), skill: createTreeFilter('Skill') } as const;

function createTreeFilter(name: string) {
  return builder.inputType(`${name}Filter`, {
    description: `Filters for ${name.toLowerCase()}s. All of them must match. Text is compared case-insensitively; \`*\` matches any characters.`,
    fields: (t) => ({
      id: t.string({ description: 'An identifier, a comma-separated list, or digits with `*`.' }),
      name: t.string({ description: `The name of the ${name.toLowerCase()}.` }),
      parentId: t.string({ description: `The identifier of the parent ${name.toLowerCase()}.` }),
      ...(name === 'Skill' ? { operatorId: t.string({ description: 'Skills of this operator.' }) } : {}),
    }),
  });
}

const WebsiteFilterInput = builder.inputType('WebsiteFilter', {
  description:
    'Filters for websites. All of them must match. Text is compared case-insensitively; `*` matches any characters.',
  fields: (t) => ({
    id: t.string({ description: 'An identifier, a comma-separated list, or digits with `*`.' }),
    label: t.string({ description: 'The name of the website.' }),
    url: t.string({ description: 'The URL of the website.' }),
  }),
});

const WebsiteConnection = connectionType('Website', WebsiteRef);
const TreeConnections = { group: connectionType('Group', GroupRef), skill: connectionType('Skill', SkillRef) } as const;

builder.queryFields((t) => ({
  website: t.field({
    type: WebsiteRef,
    nullable: true,
    description: 'A website by its identifier.',
    args: { id: t.arg.id({ required: true, description: 'The identifier of the website.' }) },
    resolve: (_root, { id }, { load }) => loadOrNull(load.website, parseIdArgument(id)),
  }),
  websites: connectionField(t, {
    type: WebsiteConnection,
    description: 'The websites of the account.',
    args: { filter: t.arg({ type: WebsiteFilterInput, description: 'Filters for the websites.' }) },
    list: (_root, { filter }, { caller, services }) =>
      toSlicedList(services.administration.websites, caller.accountId, {
        id: toIdFilter('id', filter?.id),
        label: toTextFilter('label', filter?.label),
        url: toTextFilter('url', filter?.url),
      }),
  }),
}));

for (const [kind, ref] of [
  ['group', GroupRef],
  ['skill', SkillRef],
] as const) {
  builder.queryField(kind, (t) =>
    t.field({
      type: ref,
      nullable: true,
      description: `A ${kind} by its identifier.`,
      args: { id: t.arg.id({ required: true, description: `The identifier of the ${kind}.` }) },
      resolve: (_root, { id }, { load }) => loadOrNull(load[kind], parseIdArgument(id)),
    }),
  );
  builder.queryField(`${kind}s`, (t) =>
    connectionField(t, {
      type: TreeConnections[kind],
      description: `The ${kind}s of the account.`,
      args: { filter: t.arg({ type: TreeFilterInputs[kind], description: `Filters for the ${kind}s.` }) },
      list: (_root, { filter }, { caller, services }) =>
        toSlicedList(services.administration[`${kind}s`], caller.accountId, {
          id: toIdFilter('id', filter?.id),
          name: toTextFilter('name', filter?.name),
          parentId: toIdFilter('parentId', filter?.parentId),
          operatorId: toIdFilter('operatorId', filter?.operatorId),
        }),
    }),
  );
}
