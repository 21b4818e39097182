import { type Tag, tagCreate, tagFields, tagUpdate } from '../../../core/directory/tag.ts';
import { validate } from '../../../core/kernel/validate.ts';
import { toSlicedList } from '../../graphql-server/connection.ts';
import { parseIdArgument, parseIdListField, requireId } from '../../graphql-server/ids.ts';
import { loadOrNull } from '../../graphql-server/loaders.ts';
import { deletedIdPayload, objectPayload } from '../../graphql-server/mutation.ts';
import { requireAdminCaller } from '../authorize.ts';
import { addMutation, builder, connectionField, connectionType, idInput } from '../builder.ts';
import { toIdFilter, toTextFilter } from '../filters.ts';
import { WebsiteRef } from './directory.ts';

export const TagRef = builder.objectRef<Tag>('Tag').implement({
  description: 'A label that operators set on conversations.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The identifier of the tag.' }),
    name: t.exposeString('name', { description: 'The name, unique in the account regardless of case.' }),
    websites: t.field({
      type: [WebsiteRef],
      description: 'The websites whose conversations can have the tag.',
      resolve: ({ websiteList }, _args, { load }) => load.website.loadAll(websiteList),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the tag was created.' }),
  }),
});

const TagConnection = connectionType('Tag', TagRef);

const TagFilterInput = builder.inputType('TagFilter', {
  description:
    'Filters for tags. All of them must match. Text is compared case-insensitively; `*` matches any characters.',
  fields: (t) => ({
    id: t.string({ description: 'An identifier, a comma-separated list, or digits with `*`.' }),
    name: t.string({ description: 'The name of the tag.' }),
    websiteId: t.string({ description: 'For conversations of this website.' }),
  }),
});

builder.queryFields((t) => ({
  tag: t.field({
    type: TagRef,
    nullable: true,
    description: 'A tag by its identifier.',
    args: { id: t.arg.id({ required: true, description: 'The identifier of the tag.' }) },
    resolve: (_root, { id }, { load }) => loadOrNull(load.tag, parseIdArgument(id)),
  }),
  tags: connectionField(t, {
    type: TagConnection,
    description: 'The tags of the account.',
    args: { filter: t.arg({ type: TagFilterInput, description: 'Filters for the tags.' }) },
    list: (_root, { filter }, { caller, services }) =>
      toSlicedList(services.administration.tags, caller.accountId, {
        id: toIdFilter('id', filter?.id),
        name: toTextFilter('name', filter?.name),
        websiteId: toIdFilter('websiteId', filter?.websiteId),
      }),
  }),
}));

const getDescription = (name: keyof typeof tagFields) => tagFields[name].meta()?.description ?? '';

addMutation('tagCreate', {
  description: 'Creates a tag. Admins only.',
  argumentDescription: 'The tag to create.',
  input: {
    description: 'The tag to create. Omitted fields get their defaults.',
    fields: (t) => ({
      name: t.string({ required: true, description: getDescription('name') }),
      websiteIds: t.idList({ description: getDescription('websiteList') }),
    }),
  },
  payload: objectPayload('tag', TagRef),
  authorize: requireAdminCaller,
  run: (commit, { caller, services }, input) =>
    services.administration.tags.create(commit, caller, validate(tagCreate, toTagInput(input))),
});

addMutation('tagUpdate', {
  description: 'Updates a tag. Omitted fields stay unchanged. Admins only.',
  argumentDescription: 'The fields to change.',
  input: {
    description: 'The fields to change. Omitted fields stay unchanged.',
    fields: (t) => ({
      id: t.id({ required: true, description: 'The identifier of the tag.' }),
      name: t.string({ description: getDescription('name') }),
      websiteIds: t.idList({ description: getDescription('websiteList') }),
    }),
  },
  payload: objectPayload('tag', TagRef),
  authorize: requireAdminCaller,
  run: (commit, { caller, services }, { id, ...input }) =>
    services.administration.tags.update(commit, caller, requireId('tag', id), validate(tagUpdate, toTagInput(input))),
});

addMutation('tagDelete', {
  description: 'Deletes a tag and removes it from all conversations. Admins only.',
  argumentDescription: 'The tag to delete.',
  input: idInput('The tag to delete.', 'The identifier of the tag.'),
  payload: deletedIdPayload<Tag>(),
  authorize: requireAdminCaller,
  run: (commit, { caller, services }, { id }) =>
    services.administration.tags.delete(commit, caller, requireId('tag', id)),
});

/** Passes null on, so that validation rejects it instead of treating it as an empty list. */
function toTagInput({ websiteIds, ...fields }: { readonly websiteIds?: readonly string[] | null | undefined }) {
  if (websiteIds === undefined) return fields;
  return { ...fields, websiteList: websiteIds === null ? null : parseIdListField('websiteList', websiteIds) };
}
