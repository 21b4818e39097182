import { MAX_ATTACHMENTS } from '../../../core/engine/conversations/message-files.ts';
import { parseContent } from '../../../core/engine/conversations/messages.ts';
import { readUpTo } from '../../../core/engine/conversations/read-markers.ts';
import { answerSatisfaction, satisfactionAnswer } from '../../../core/engine/conversations/satisfaction.ts';
import { conversationStart } from '../../../core/engine/conversations/start.ts';
import { PROFILE_FIELDS, visitorProfile, visitorUpdate } from '../../../core/engine/records/visitor-profile.ts';
import { validate } from '../../../core/kernel/validate.ts';
import { parseIdField, parseIdListField, requireId } from '../../graphql-server/ids.ts';
import { objectPayload } from '../../graphql-server/mutation.ts';
import { addMutation, ChannelEnum, idInput } from '../builder.ts';
import { ConversationRef } from './conversation.ts';
import { MessageRef } from './message.ts';
import { SatisfactionRef } from './satisfaction.ts';
import { VisitorRef } from './visitor.ts';

const CLIENT_ID_DESCRIPTION =
  'An identifier of your choice, at most 64 characters. Retries with the same identifier have no further effect.';

addMutation('conversationStart', {
  description: 'Starts a conversation. It is offered to an operator, or queued if none is available.',
  argumentDescription: 'The conversation to start.',
  input: {
    description: 'The conversation to start.',
    fields: (t) => ({
      channel: t.field({ type: ChannelEnum, required: true, description: 'The channel.' }),
      skillId: t.id({ description: 'The requested skill.' }),
      groupId: t.id({ description: 'The requested group.' }),
      language: t.string({ description: "The requested language (ISO 639-1). Defaults to the session's language." }),
      message: t.string({ description: 'The first message.' }),
      clientId: t.string({ description: CLIENT_ID_DESCRIPTION }),
    }),
  },
  payload: objectPayload('conversation', ConversationRef),
  run: async (commit, { visitor, address, services }, { skillId, groupId, ...input }) => {
    const fields = validate(conversationStart, {
      ...input,
      skillId: typeof skillId === 'string' ? parseIdField('skillId', skillId) : null,
      groupId: typeof groupId === 'string' ? parseIdField('groupId', groupId) : null,
    });
    await services.visitors.limits.admitStart(visitor, address);
    return services.engine.conversations.start(commit, visitor, fields);
  },
});

addMutation('messageSend', {
  description: 'Sends a message. It is stored before the mutation returns.',
  argumentDescription: 'The message to send.',
  input: {
    description: 'The message to send.',
    fields: (t) => ({
      conversationId: t.id({ required: true, description: 'The conversation.' }),
      clientId: t.string({ description: CLIENT_ID_DESCRIPTION }),
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
  run: (commit, { visitor, services }, { conversationId, attachmentIds, ...content }) => {
    const fileIds = parseIdListField('attachmentIds', attachmentIds ?? [], MAX_ATTACHMENTS);
    const message = { ...parseContent(content, fileIds), conversationId: requireId('conversation', conversationId) };
    return services.engine.conversations.sendAsVisitor(
      (work) =>
        commit(async (tx) => {
          await services.visitors.limits.admitMessage(tx, visitor);
          return work(tx);
        }),
      visitor,
      message,
    );
  },
});

addMutation('conversationRead', {
  description:
    'Marks the messages of a conversation as read by the visitor, up to one of them. It never goes back, and can be repeated. The operator sees it, and it stays after the conversation is closed.',
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
  run: (_commit, { visitor, services }, { id, ...input }) =>
    services.engine.readMarkers.readAsVisitor(visitor, {
      id: requireId('conversation', id),
      ...validate(readUpTo, input),
    }),
});

addMutation('conversationClose', {
  description: 'Closes a conversation.',
  argumentDescription: 'The conversation to close.',
  input: idInput('The conversation to close.', 'The identifier of the conversation.'),
  payload: objectPayload('conversation', ConversationRef),
  run: (commit, { visitor, services }, { id }) =>
    services.engine.conversations.closeAsVisitor(commit, visitor, requireId('conversation', id)),
});

addMutation('satisfactionAnswer', {
  description:
    'Answers the satisfaction survey of a conversation. Possible once, if an operator handled the conversation.',
  argumentDescription: 'The answers to the survey.',
  input: {
    description: 'The answers to the satisfaction survey.',
    fields: (t) => ({
      conversationId: t.id({ required: true, description: 'The conversation.' }),
      welcome: t.int({ required: true, description: 'The rating of the welcome, from 1 to 5.' }),
      resolution: t.int({ required: true, description: 'The rating of the resolution, from 1 to 5.' }),
      delay: t.int({ required: true, description: 'The rating of the delay, from 1 to 5.' }),
      comment: t.string({ description: 'A comment, at most 2000 characters.' }),
    }),
  },
  payload: objectPayload('satisfaction', SatisfactionRef),
  run: (commit, { visitor }, { conversationId, ...input }) => {
    const answer = validate(satisfactionAnswer, input);
    return answerSatisfaction(commit, visitor, requireId('conversation', conversationId), answer);
  },
});

addMutation('visitorUpdate', {
  description: "Updates the visitor's profile. Omitted fields stay unchanged.",
  argumentDescription: 'The fields to change.',
  input: {
    description: 'The fields to change. Omitted fields stay unchanged.',
    fields: (t) =>
      Object.fromEntries(
        PROFILE_FIELDS.map((name) => [
          name,
          t.string({ description: visitorProfile.shape[name].meta()?.description ?? '' }),
        ]),
      ),
  },
  payload: objectPayload('visitor', VisitorRef),
  run: (commit, { visitor, services }, input) => {
    const fields = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
    return services.visitors.profiles.update(commit, visitor, validate(visitorUpdate, fields));
  },
});
