import type { TreeNode } from '../../../core/directory/tree.ts';
import { originsSchema, type Website } from '../../../core/directory/website.ts';
import { listOf } from '../../graphql-server/connection.ts';
import { readId } from '../../graphql-server/ids.ts';
import { loadOrNull } from '../../graphql-server/loaders.ts';
import { builder, connectionField, connectionType } from '../builder.ts';
import { idFilter, textFilter } from '../filters.ts';

export const WebsiteRef = builder.objectRef<Website>('Website');
export const GroupRef = builder.objectRef<TreeNode>('Group');
export const SkillRef = builder.objectRef<TreeNode>('Skill');

WebsiteRef.implement({
  description: 'A website whose visitors are answered.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier.' }),
    url: t.exposeString('url', { description: 'Address of the website.' }),
    label: t.exposeString('label', { description: 'Name of the website.' }),
    currency: t.exposeString('currency', { description: 'Currency (ISO 4217).' }),
    languageAdmin: t.exposeString('languageAdmin', { description: 'Language of the admin interface.' }),
    timezone: t.exposeString('timezone', { description: 'Time zone (IANA).' }),
    allowedOrigins: t.stringList({
      description: originsSchema.meta()?.description ?? '',
      resolve: ({ allowedOrigins }) => [...allowedOrigins],
    }),
    visitorSecret: t.string({
      nullable: true,
      description:
        'The secret with which the website signs the `externalId` of its visitors: HMAC-SHA256, in hexadecimal digits. For admins.',
      resolve: (website, _args, { caller, services }) =>
        services.administration.websites.visitorSecret(caller, website),
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
        ? 'A team of operators, in a tree of teams.'
        : 'What operators can help with, in a tree. Replaces the operator resource of REST.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'Identifier.' }),
      name: t.exposeString('name', { description: 'Name.' }),
      createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
      parent: t.field({
        type: ref,
        nullable: true,
        description: 'The one above it, if it is not at the top.',
        resolve: ({ parentId }, _args, { load }) => loadOrNull(load[kind], parentId),
      }),
      children: t.field({
        type: [ref],
        description: 'Those directly under it.',
        resolve: (node, _args, { load }) => load.children[kind].load(node.id),
      }),
    }),
  });
}

builder.objectField(SkillRef, 'order', (t) => t.exposeInt('order', { description: 'Place in lists shown to people.' }));

const TreeFilterInputs = { group: treeFilter('Group'), skill: treeFilter('Skill') } as const;

function treeFilter(name: string) {
  return builder.inputType(`${name}Filter`, {
    description: 'All that is given must hold. Texts compare without case; `*` matches any run of characters.',
    fields: (t) => ({
      id: t.string({ description: 'An identifier, a comma-separated list, or digits with `*`.' }),
      name: t.string({ description: 'Name.' }),
      parentId: t.string({ description: 'The one above, by identifier.' }),
      ...(name === 'Skill' ? { operatorId: t.string({ description: 'Held by this operator.' }) } : {}),
    }),
  });
}

const WebsiteFilterInput = builder.inputType('WebsiteFilter', {
  description: 'All that is given must hold. Texts compare without case; `*` matches any run of characters.',
  fields: (t) => ({
    id: t.string({ description: 'An identifier, a comma-separated list, or digits with `*`.' }),
    label: t.string({ description: 'Name of the website.' }),
    url: t.string({ description: 'Address of the website.' }),
  }),
});

const WebsiteConnection = connectionType('Website', WebsiteRef);
const TreeConnections = { group: connectionType('Group', GroupRef), skill: connectionType('Skill', SkillRef) } as const;

builder.queryFields((t) => ({
  website: t.field({
    type: WebsiteRef,
    nullable: true,
    description: 'A website by its identifier.',
    args: { id: t.arg.id({ required: true, description: 'Identifier.' }) },
    resolve: (_root, { id }, { load }) => loadOrNull(load.website, readId(id)),
  }),
  websites: connectionField(t, {
    type: WebsiteConnection,
    description: 'The websites of the account.',
    args: { filter: t.arg({ type: WebsiteFilterInput, description: 'Which ones.' }) },
    list: (_root, { filter }, { caller, services }) =>
      listOf(services.administration.websites, caller.accountId, {
        id: idFilter('id', filter?.id),
        label: textFilter('label', filter?.label),
        url: textFilter('url', filter?.url),
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
      args: { id: t.arg.id({ required: true, description: 'Identifier.' }) },
      resolve: (_root, { id }, { load }) => loadOrNull(load[kind], readId(id)),
    }),
  );
  builder.queryField(`${kind}s`, (t) =>
    connectionField(t, {
      type: TreeConnections[kind],
      description: `The ${kind}s of the account.`,
      args: { filter: t.arg({ type: TreeFilterInputs[kind], description: 'Which ones.' }) },
      list: (_root, { filter }, { caller, services }) =>
        listOf(services.administration[`${kind}s`], caller.accountId, {
          id: idFilter('id', filter?.id),
          name: textFilter('name', filter?.name),
          parentId: idFilter('parentId', filter?.parentId),
          operatorId: idFilter('operatorId', filter?.operatorId),
        }),
    }),
  );
}
