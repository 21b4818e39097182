import type { TagFilters } from '../../../core/administration/tag-service.ts';
import { type Tag, tagCreate, tagFields, tagUpdate } from '../../../core/directory/tag.ts';
import { validate } from '../../../core/kernel/validate.ts';
import { type Connection, readSlice } from '../../graphql-server/connection.ts';
import { idOf, inputIds, readId } from '../../graphql-server/ids.ts';
import { builder } from '../builder.ts';
import { connectionType, sliceArguments } from '../connection.ts';
import { idFilter, textFilter } from '../filters.ts';
import { existing } from '../loaders.ts';
import { deletedType, payloadType } from '../mutation.ts';
import { WebsiteRef } from './directory.ts';

export const TagRef = builder.objectRef<Tag>('Tag').implement({
  description: 'A word that operators put on conversations.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier.' }),
    name: t.exposeString('name', { description: 'Name; unique in its account without regard to case.' }),
    websites: t.field({
      type: [WebsiteRef],
      description: 'The websites whose conversations it is for.',
      resolve: async ({ websiteList }, _args, { load }) => existing(await load.website.loadMany(websiteList)),
    }),
    createdAt: t.field({ type: 'DateTime', description: 'When it was made.', resolve: (tag) => tag.createdAt }),
  }),
});

const TagConnection = connectionType('Tag', TagRef);

const TagFilterInput = builder.inputType('TagFilter', {
  description: 'All that is given must hold. Texts compare without case; `*` matches any run of characters.',
  fields: (t) => ({
    id: t.string({ description: 'An identifier, a comma-separated list, or digits with `*`.' }),
    name: t.string({ description: 'Name.' }),
    websiteId: t.string({ description: 'For conversations of this website.' }),
  }),
});

builder.queryFields((t) => ({
  tag: t.field({
    type: TagRef,
    nullable: true,
    description: 'A tag by its identifier.',
    args: { id: t.arg.id({ required: true, description: 'Identifier.' }) },
    resolve: async (_root, { id: text }, { load }) => {
      const id = readId(text);
      return id === undefined ? null : ((await load.tag.load(id)) ?? null);
    },
  }),
  tags: t.field({
    type: TagConnection,
    description: 'The tags of the account.',
    args: { filter: t.arg({ type: TagFilterInput, description: 'Which ones.' }), ...sliceArguments(t.arg) },
    resolve: async (_root, { filter, ...slice }, { caller, services }): Promise<Connection<Tag>> => {
      const filters: TagFilters = {
        id: idFilter('id', filter?.id),
        name: textFilter('name', filter?.name),
        websiteId: idFilter('websiteId', filter?.websiteId),
      };
      const page = await services.administration.tags.slice(caller.accountId, filters, readSlice(slice));
      return { ...page, totalCount: () => services.administration.tags.count(caller.accountId, filters) };
    },
  }),
}));

const text = (name: keyof typeof tagFields) => tagFields[name].meta()?.description ?? '';

const TagCreateInput = builder.inputType('TagCreateInput', {
  description: 'A new tag. What is left out gets its default.',
  fields: (t) => ({
    name: t.string({ required: true, description: text('name') }),
    websiteIds: t.idList({ description: text('websiteList') }),
  }),
});

const TagUpdateInput = builder.inputType('TagUpdateInput', {
  description: 'A change of a tag. What is left out stays.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Which one.' }),
    name: t.string({ description: text('name') }),
    websiteIds: t.idList({ description: text('websiteList') }),
  }),
});

const TagDeleteInput = builder.inputType('TagDeleteInput', {
  description: 'What is deleted.',
  fields: (t) => ({ id: t.id({ required: true, description: 'Identifier.' }) }),
});

builder.mutationFields((t) => ({
  tagCreate: t.field({
    type: payloadType<Tag>('TagCreate', { name: 'tag', type: TagRef }),
    description: 'Makes a tag. For admins.',
    args: { input: t.arg({ type: TagCreateInput, required: true, description: 'The tag.' }) },
    resolve: (_root, { input }, { caller, services, changes }) =>
      changes.run<Tag>(async (commit) =>
        services.administration.tags.create(commit, caller, validate(tagCreate, tagInput(input))),
      ),
  }),
  tagUpdate: t.field({
    type: payloadType<Tag>('TagUpdate', { name: 'tag', type: TagRef }),
    description: 'Changes the fields that it names and no others. For admins.',
    args: { input: t.arg({ type: TagUpdateInput, required: true, description: 'The change.' }) },
    resolve: (_root, { input: { id, ...input } }, { caller, services, changes }) =>
      changes.run<Tag>(async (commit) =>
        services.administration.tags.update(commit, caller, idOf('tag', id), validate(tagUpdate, tagInput(input))),
      ),
  }),
  tagDelete: t.field({
    type: deletedType('TagDelete'),
    description: 'Deletes a tag and takes it off every conversation. For admins.',
    args: { input: t.arg({ type: TagDeleteInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, { caller, services, changes }) =>
      changes.run<Tag>(async (commit) => services.administration.tags.remove(commit, caller, idOf('tag', input.id))),
  }),
}));

/** Null where a list belongs is refused by the schema, not taken for an empty one. */
function tagInput({ websiteIds, ...fields }: { readonly websiteIds?: readonly string[] | null | undefined }) {
  if (websiteIds === undefined) return fields;
  return { ...fields, websiteList: websiteIds === null ? null : inputIds('websiteList', websiteIds) };
}
