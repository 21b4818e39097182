import {
  CANNED_REPLY_VARIABLES,
  type CannedReply,
  type CannedReplyScope,
  cannedReplyContent,
  cannedReplyUpdate,
  MAX_REPLIES_PER_OWNER,
} from '../../../core/administration/canned-replies/canned-reply.ts';
import type { ImportCounts } from '../../../core/administration/canned-replies/canned-reply-import.ts';
import {
  authorizeOwner,
  canEditRepliesOf,
  type OwnerInput,
} from '../../../core/administration/canned-replies/canned-reply-owners.ts';
import { parseId } from '../../../core/kernel/ids.ts';
import { validate } from '../../../core/kernel/validate.ts';
import { parseIdField, requireId } from '../../graphql-server/ids.ts';
import { loadOrNull } from '../../graphql-server/loaders.ts';
import { deletedIdPayload, objectPayload } from '../../graphql-server/mutation.ts';
import { addMutation, builder, createEnum, type InputFieldBuilder, idInput } from '../builder.ts';
import type { Context } from '../context.ts';
import { GroupRef } from './directory.ts';

const ScopeEnum = createEnum<CannedReplyScope>('CannedReplyScope', 'Who can use a canned reply.', {
  own: 'The operator who created it.',
  group: 'The operators of a group and of the groups under it.',
  account: 'Every operator of the account, without experts.',
});

const DESCRIPTIONS = {
  shortcut:
    'What operators type to find it: 1 to 40 letters, digits, `-`, `_` or `.`. Unique for its owner and language, regardless of case.',
  text: `The text, up to the length of a message, with any of the variables ${CANNED_REPLY_VARIABLES.map((name) => `\`${name}\``).join(', ')}, which the page replaces.`,
  language: 'The language of the text (ISO 639-1). Null for every language.',
  groupId: 'The group, for the scope `GROUP`.',
};

const CannedReplyRef = builder.objectRef<CannedReply>('CannedReply').implement({
  description: 'A prepared text that operators insert into a conversation.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The identifier of the canned reply.' }),
    scope: t.field({ type: ScopeEnum, description: 'Who can use it.', resolve: ({ owner }) => owner.scope }),
    group: t.field({
      type: GroupRef,
      nullable: true,
      description: 'The group, for the scope `GROUP`.',
      resolve: ({ owner }, _args, { load }) => (owner.scope === 'group' ? loadOrNull(load.group, owner.id) : null),
    }),
    shortcut: t.exposeString('shortcut', { description: DESCRIPTIONS.shortcut }),
    text: t.exposeString('text', { description: DESCRIPTIONS.text }),
    language: t.exposeString('language', { nullable: true, description: DESCRIPTIONS.language }),
    canEdit: t.boolean({
      description: 'Whether the viewer can change and delete it.',
      resolve: ({ owner }, _args, { caller }) => canEditRepliesOf(caller, owner),
    }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was created or last changed.' }),
  }),
});

builder.queryField('cannedReplies', (t) =>
  t.field({
    type: [CannedReplyRef],
    description:
      'All canned replies that the viewer can use or change, by shortcut: their own, those of their group and the groups above it, and those of the account; for managers also those of the groups that they manage, for admins and API keys those of all groups. Experts have only their own.',
    resolve: (_root, _args, { caller, services }) => services.administration.cannedReplies.list(caller),
  }),
);

const createOwnerFields = (t: InputFieldBuilder, required: boolean) => ({
  scope: t.field({ type: ScopeEnum, required, description: 'Who can use it.' }),
  groupId: t.id({ description: DESCRIPTIONS.groupId }),
});

const createContentFields = (t: InputFieldBuilder, required: boolean) => ({
  shortcut: t.string({ required, description: DESCRIPTIONS.shortcut }),
  text: t.string({ required, description: DESCRIPTIONS.text }),
  language: t.string({ description: DESCRIPTIONS.language }),
});

addMutation('cannedReplyCreate', {
  description: `Creates a canned reply. An operator, a group and the account can have ${MAX_REPLIES_PER_OWNER} each. Operators create their own, managers also those of their groups, admins all; API keys those of groups and the account.`,
  argumentDescription: 'The canned reply to create.',
  input: {
    description: 'The canned reply to create.',
    fields: (t) => ({ ...createOwnerFields(t, true), ...createContentFields(t, true) }),
  },
  payload: objectPayload('cannedReply', CannedReplyRef),
  authorize: authorizeInput,
  run: (commit, { caller, services }, { scope, groupId, ...content }) =>
    services.administration.cannedReplies.create(
      commit,
      caller,
      toOwnerInput(scope as CannedReplyScope, groupId),
      validate(cannedReplyContent, content),
    ),
});

addMutation('cannedReplyUpdate', {
  description: 'Changes a canned reply. Omitted fields stay unchanged.',
  argumentDescription: 'The fields to change.',
  input: {
    description: 'The fields to change. Omitted fields stay unchanged.',
    fields: (t) => ({
      id: t.id({ required: true, description: 'The identifier of the canned reply.' }),
      ...createContentFields(t, false),
      ...createOwnerFields(t, false),
    }),
  },
  payload: objectPayload('cannedReply', CannedReplyRef),
  authorize: async ({ caller, services }, { id, scope, groupId }) => {
    await services.administration.cannedReplies.authorizeChange(caller, parseId(id));
    if (scope || groupId) authorizeOwner(caller, { scope: scope ?? 'group', groupId: toPermissionGroup(groupId) });
  },
  run: (commit, { caller, services }, { id, scope, groupId, ...content }) => {
    const ownerInput = scope || groupId ? toOwnerInput(scope ?? 'group', groupId) : undefined;
    return services.administration.cannedReplies.update(commit, caller, requireId('canned reply', id), {
      ...validate(cannedReplyUpdate, content),
      ownerInput,
    });
  },
});

addMutation('cannedReplyDelete', {
  description: 'Deletes a canned reply.',
  argumentDescription: 'The canned reply to delete.',
  input: idInput('The canned reply to delete.', 'The identifier of the canned reply.'),
  payload: deletedIdPayload<CannedReply>(),
  authorize: ({ caller, services }, { id }) =>
    services.administration.cannedReplies.authorizeChange(caller, parseId(id)),
  run: (commit, { caller, services }, { id }) =>
    services.administration.cannedReplies.delete(commit, caller, requireId('canned reply', id)),
});

const ImportedReplyInput = builder.inputType('CannedRepliesImportReplyInput', {
  description: 'A canned reply to create or update.',
  fields: (t) => createContentFields(t, true),
});

addMutation('cannedRepliesImport', {
  description: `Creates up to ${MAX_REPLIES_PER_OWNER} canned replies of one owner, or updates those with the same shortcut and language. All or none: the errors name the rows.`,
  argumentDescription: 'The canned replies to import.',
  input: {
    description: 'The canned replies to import, and their owner.',
    fields: (t) => ({
      ...createOwnerFields(t, true),
      replies: t.field({
        type: [ImportedReplyInput],
        required: true,
        description: `The canned replies, at most ${MAX_REPLIES_PER_OWNER}.`,
      }),
    }),
  },
  payload: {
    created: {
      type: 'Int',
      description: 'The number of canned replies that were created.',
      resolve: ({ created }: ImportCounts) => created,
    },
    updated: {
      type: 'Int',
      description: 'The number of canned replies that were changed. Those that already had these values do not count.',
      resolve: ({ updated }: ImportCounts) => updated,
    },
  },
  authorize: authorizeInput,
  run: (commit, { caller, services }, { scope, groupId, replies }) =>
    services.administration.cannedReplies.importReplies(
      commit,
      caller,
      toOwnerInput(scope as CannedReplyScope, groupId),
      replies,
    ),
});

function authorizeInput(
  { caller }: Context,
  {
    scope,
    groupId,
  }: { readonly scope?: CannedReplyScope | null | undefined; readonly groupId?: string | null | undefined },
): void {
  authorizeOwner(caller, { scope: scope as CannedReplyScope, groupId: toPermissionGroup(groupId) });
}

function toOwnerInput(scope: CannedReplyScope, groupId: string | null | undefined): OwnerInput {
  return { scope, groupId: typeof groupId === 'string' ? parseIdField('groupId', groupId) : null };
}

/** No group has it: an identifier that is not valid is one of a group that no manager manages. */
const UNKNOWN_GROUP_ID = 0;

function toPermissionGroup(groupId: string | null | undefined): number | null {
  return typeof groupId === 'string' ? (parseId(groupId) ?? UNKNOWN_GROUP_ID) : null;
}
