import { type Tag, tagCreate, tagFields, tagUpdate } from '../../../core/directory/tag.ts';
import { validate } from '../../../core/kernel/validate.ts';
import { listOf } from '../../graphql-server/connection.ts';
import { idOf, inputIds, readId } from '../../graphql-server/ids.ts';
import { loadOrNull } from '../../graphql-server/loaders.ts';
import { changed, deleted } from '../../graphql-server/mutation.ts';
import { builder, connectionField, connectionType, idInput, mutation } from '../builder.ts';
import { idFilter, textFilter } from '../filters.ts';
import { existing } from '../loaders.ts';
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
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
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
    resolve: (_root, { id }, { load }) => loadOrNull(load.tag, readId(id)),
  }),
  tags: connectionField(t, {
    type: TagConnection,
    description: 'The tags of the account.',
    args: { filter: t.arg({ type: TagFilterInput, description: 'Which ones.' }) },
    list: (_root, { filter }, { caller, services }) =>
      listOf(services.administration.tags, caller.accountId, {
        id: idFilter('id', filter?.id),
        name: textFilter('name', filter?.name),
        websiteId: idFilter('websiteId', filter?.websiteId),
      }),
  }),
}));

const text = (name: keyof typeof tagFields) => tagFields[name].meta()?.description ?? '';

mutation('tagCreate', {
  description: 'Makes a tag. For admins.',
  argument: 'The tag.',
  input: {
    description: 'A new tag. What is left out gets its default.',
    fields: (t) => ({
      name: t.string({ required: true, description: text('name') }),
      websiteIds: t.idList({ description: text('websiteList') }),
    }),
  },
  answer: changed('tag', TagRef),
  run: (commit, { caller, services }, input) =>
    services.administration.tags.create(commit, caller, validate(tagCreate, tagInput(input))),
});

mutation('tagUpdate', {
  description: 'Changes the fields that it names and no others. For admins.',
  argument: 'The change.',
  input: {
    description: 'A change of a tag. What is left out stays.',
    fields: (t) => ({
      id: t.id({ required: true, description: 'Which one.' }),
      name: t.string({ description: text('name') }),
      websiteIds: t.idList({ description: text('websiteList') }),
    }),
  },
  answer: changed('tag', TagRef),
  run: (commit, { caller, services }, { id, ...input }) =>
    services.administration.tags.update(commit, caller, idOf('tag', id), validate(tagUpdate, tagInput(input))),
});

mutation('tagDelete', {
  description: 'Deletes a tag and takes it off every conversation. For admins.',
  argument: 'Which one.',
  input: idInput('What is deleted.'),
  answer: deleted<Tag>(),
  run: (commit, { caller, services }, { id }) => services.administration.tags.remove(commit, caller, idOf('tag', id)),
});

/** Null where a list belongs is refused by the schema, not taken for an empty one. */
function tagInput({ websiteIds, ...fields }: { readonly websiteIds?: readonly string[] | null | undefined }) {
  if (websiteIds === undefined) return fields;
  return { ...fields, websiteList: websiteIds === null ? null : inputIds('websiteList', websiteIds) };
}
