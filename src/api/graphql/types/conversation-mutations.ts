import { MAX_ATTACHMENTS } from '../../../core/engine/conversations/message-files.ts';
import { parseClosingText, parseContent } from '../../../core/engine/conversations/messages.ts';
import { parseTransferNote } from '../../../core/engine/conversations/notes.ts';
import { readUpTo } from '../../../core/engine/conversations/read-markers.ts';
import { forbidden, requireManager } from '../../../core/kernel/caller.ts';
import { parseId } from '../../../core/kernel/ids.ts';
import { validate } from '../../../core/kernel/validate.ts';
import { parseIdField, parseIdListField, requireId } from '../../graphql-server/ids.ts';
import { objectPayload } from '../../graphql-server/mutation.ts';
import { authorizeOnConversation, requireHandling, requireOperatorCaller } from '../authorize.ts';
import { addMutation, type InputFieldBuilder, idInput } from '../builder.ts';
import type { Context } from '../context.ts';
import { ConversationRef, loadInvolvement, MessageRef } from './conversation.ts';

const MAX_TAGS = 100;

const requireConversationId = (text: string) => requireId('conversation', text);
const parseRelationId = (path: string, text: string | null | undefined) =>
  text === null || text === undefined ? undefined : parseIdField(path, text);

const conversationInput = idInput('A conversation.', 'The identifier of the conversation.');
const offerInput = {
  description: 'An offered conversation.',
  fields: (t: InputFieldBuilder) => ({
    conversationId: t.id({ required: true, description: 'The offered conversation.' }),
  }),
};

addMutation('offerAccept', {
  description:
    'Accepts an offer, which assigns the conversation to the viewer. Repeating it has no effect. FORBIDDEN for API keys.',
  argumentDescription: 'The offer to accept.',
  input: offerInput,
  payload: objectPayload('conversation', ConversationRef),
  authorize: requireOperatorCaller,
  run: (commit, { caller, services }, input) =>
    services.engine.conversations.accept(commit, caller, requireConversationId(input.conversationId)),
});

addMutation('offerDecline', {
  description:
    'Declines an offer. The conversation is offered to other operators, and not to the viewer for 60 seconds. FORBIDDEN for API keys.',
  argumentDescription: 'The offer to decline.',
  input: offerInput,
  payload: objectPayload('conversation', ConversationRef),
  authorize: requireOperatorCaller,
  run: (commit, { caller, services }, input) =>
    services.engine.conversations.decline(commit, caller, requireConversationId(input.conversationId)),
});

addMutation('messageSend', {
  description:
    'Sends a message in a conversation that the viewer handles. It is stored before the mutation returns. FORBIDDEN for API keys.',
  argumentDescription: 'The message to send.',
  input: {
    description: 'The message to send.',
    fields: (t) => ({
      conversationId: t.id({ required: true, description: 'The conversation.' }),
      clientId: t.string({
        description:
          'An identifier of your choice, 1 to 64 characters. Retries with the same identifier have no further effect.',
      }),
      text: t.string({
        required: true,
        description: 'The text, at most 10000 characters. It can be empty if there are attachments.',
      }),
      attachmentIds: t.idList({
        description:
          'Files to send with the message, at most 10, in this order. Upload them first with `POST`, as multipart/form-data.',
      }),
    }),
  },
  payload: objectPayload('message', MessageRef),
  authorize: (context, { conversationId }) => requireHandling(context, conversationId),
  run: (commit, { caller, services }, { conversationId: id, attachmentIds, ...content }) => {
    const fileIds = parseIdListField('attachmentIds', attachmentIds ?? [], MAX_ATTACHMENTS);
    const message = { conversationId: requireConversationId(id), ...parseContent(content, fileIds) };
    return services.engine.conversations.send(commit, caller, message);
  },
});

addMutation('conversationRead', {
  description:
    'Marks the messages of a conversation that the viewer handles as read, up to one of them. It never goes back, and can be repeated. The visitor sees it. FORBIDDEN for API keys.',
  argumentDescription: 'The conversation and the last message that was read.',
  input: {
    description: 'The conversation and the last message that was read.',
    fields: (t) => ({
      id: t.id({ required: true, description: 'The conversation.' }),
      upTo: t.int({
        required: true,
        description: 'The sequence number of the last message that was read. A higher one counts as the newest.',
      }),
    }),
  },
  payload: objectPayload('conversation', ConversationRef),
  authorize: (context, { id }) => requireHandling(context, id),
  run: (_commit, { caller, services }, { id, ...input }) =>
    services.engine.readMarkers.readAsOperator(caller, {
      id: requireConversationId(id),
      ...validate(readUpTo, input),
    }),
});

addMutation('conversationTransfer', {
  description:
    'Transfers an active conversation: offers it to an operator, or requeues it for a skill or a group. Available to the operator who handles it, their managers and admins.',
  argumentDescription: 'The conversation and its target.',
  input: {
    description: 'The conversation and its target: exactly one of operator, skill and group.',
    fields: (t) => ({
      id: t.id({ required: true, description: 'The conversation.' }),
      operatorId: t.id({ description: 'The operator to offer it to.' }),
      skillId: t.id({ description: 'The skill that the new operator must have.' }),
      groupId: t.id({ description: 'The group that the new operator must belong to.' }),
      force: t.boolean({
        defaultValue: false,
        description:
          'Ignores presence and capacity of the operator. The routing decision records it. Managers and admins only.',
      }),
      note: t.string({
        description:
          'A note for the next operator, at most 10000 characters. It is stored together with the transfer, or not at all.',
      }),
    }),
  },
  payload: objectPayload('conversation', ConversationRef),
  authorize: (context, { id, force }) => {
    if (force) requireManager(context.caller);
    return requireAccess(context, id);
  },
  run: (commit, { caller, services }, input) =>
    services.engine.conversations.transfer(commit, caller, {
      id: requireConversationId(input.id),
      operatorId: parseRelationId('operatorId', input.operatorId),
      skillId: parseRelationId('skillId', input.skillId),
      groupId: parseRelationId('groupId', input.groupId),
      force: input.force ?? false,
      note: parseTransferNote(input.note),
    }),
});

addMutation('conversationEscalate', {
  description:
    'Escalates a chat that the viewer handles to video, and returns the video conversation. The chat stays open. FORBIDDEN for API keys.',
  argumentDescription: 'The chat to escalate.',
  input: conversationInput,
  payload: objectPayload('conversation', ConversationRef),
  authorize: requireOperatorCaller,
  run: (commit, { caller, services }, { id }) =>
    services.engine.conversations.escalate(commit, caller, requireConversationId(id)),
});

addMutation('conversationTag', {
  description:
    'Replaces the tags of a conversation. Available to the operator who handles it, their managers and admins.',
  argumentDescription: 'The conversation and its tags.',
  input: {
    description: 'The conversation and its tags.',
    fields: (t) => ({
      id: t.id({ required: true, description: 'The conversation.' }),
      tagIds: t.idList({ required: true, description: `The new tags, at most ${MAX_TAGS}.` }),
    }),
  },
  payload: objectPayload('conversation', ConversationRef),
  authorize: (context, { id }) => requireAccess(context, id),
  run: (commit, { caller, services }, input) => {
    const tagIds = parseIdListField('tagIds', input.tagIds, MAX_TAGS);
    return services.engine.conversations.tag(commit, caller, requireConversationId(input.id), tagIds);
  },
});

addMutation('conversationClose', {
  description:
    'Closes a conversation and frees its slot. Available to the operator who handles it, their managers and admins.',
  argumentDescription: 'The conversation to close.',
  input: {
    description: 'The conversation to close.',
    fields: (t) => ({
      id: t.id({ required: true, description: 'The identifier of the conversation.' }),
      text: t.string({
        description:
          'A last message to the visitor, 1 to 10000 characters. It is stored together with the close, or not at all. Only for the operator who handles the conversation.',
      }),
    }),
  },
  payload: objectPayload('conversation', ConversationRef),
  authorize: async (context, { id, text }) => {
    await requireAccess(context, id);
    if (text !== null && text !== undefined) await requireHandling(context, id);
  },
  run: (commit, { caller, services }, { id, ...content }) =>
    services.engine.conversations.close(commit, caller, {
      id: requireConversationId(id),
      text: parseClosingText(content),
    }),
});

addMutation('conversationTake', {
  description:
    'Assigns a conversation to an operator immediately and without an offer, even if another operator handles it. Available to admins, and to managers within their groups. With `Account.operatorsMayTake`, operators and managers also take a queued conversation that they could serve for themselves: within their capacity, and not one that is offered to another operator.',
  argumentDescription: 'The conversation and its new operator.',
  input: {
    description: 'The conversation and its new operator.',
    fields: (t) => ({
      id: t.id({ required: true, description: 'The conversation.' }),
      operatorId: t.id({ required: true, description: 'The new operator.' }),
      force: t.boolean({
        defaultValue: false,
        description:
          'Ignores presence and capacity of the operator. The routing decision records it. Managers within their groups and admins only.',
      }),
    }),
  },
  payload: objectPayload('conversation', ConversationRef),
  authorize: requireTakeAccess,
  run: (commit, { caller, services }, input) => {
    const operatorId = parseIdField('operatorId', input.operatorId);
    const force = input.force ?? false;
    return services.engine.conversations.take(commit, caller, {
      id: requireConversationId(input.id),
      operatorId,
      force,
    });
  },
});

/** Throws unless the caller is the conversation's operator or manages it. */
export function requireAccess(context: Context, id: string): Promise<void> {
  return authorizeOnConversation(context, id, async (conversation) => {
    if ((await loadInvolvement(conversation, context)) === 'none') throw forbidden();
  });
}

/** Throws unless the caller is a manager with access, or an operator who may take the conversation for themselves. */
function requireTakeAccess(
  context: Context,
  { id, operatorId, force }: { id: string; operatorId: string; force?: boolean | null | undefined },
): Promise<void> {
  const { caller, services } = context;
  const request = { operatorId: parseId(operatorId) ?? 0, force: force ?? false };
  if (caller.operatorId !== request.operatorId) requireManager(caller);
  return authorizeOnConversation(context, id, async (conversation) => {
    if (await services.engine.conversations.canTake(caller, { conversation, ...request })) return;
    requireManager(caller);
    if ((await loadInvolvement(conversation, context)) === 'none') throw forbidden();
  });
}
