import { z } from 'zod';
import { clientId, messageText } from '../../../core/engine/conversations/messages.ts';
import type { Conversation } from '../../../core/engine/records/conversation.ts';
import type { Message } from '../../../core/engine/records/message-store.ts';
import { invalidField } from '../../../core/kernel/errors.ts';
import { validate } from '../../../core/kernel/validate.ts';
import { idOf, inputId, inputIds } from '../../graphql-server/ids.ts';
import { builder } from '../builder.ts';
import { payloadType } from '../mutation.ts';
import { ConversationRef, MessageRef } from './conversation.ts';

const MOST_TAGS = 100;

const newMessage = z.strictObject({ clientId: clientId.nullish(), text: messageText });

const conversationPayload = (name: string) =>
  payloadType<Conversation>(name, { name: 'conversation', type: ConversationRef });

const idInput = (name: string, field: 'id' | 'conversationId') =>
  builder.inputType(`${name}Input`, {
    description: 'Which conversation.',
    fields: (t) => ({ [field]: t.id({ required: true, description: 'The conversation.' }) }),
  });

const conversationId = (text: unknown) => idOf('conversation', String(text));
const relationId = (path: string, text: string | null | undefined) =>
  text === null || text === undefined ? undefined : inputId(path, text);

/** Both answers to an offer. */
for (const [name, method, description] of [
  [
    'offerAccept',
    'accept',
    'Accepts an offer: the conversation is the viewer’s from now on. A second time is harmless.',
  ],
  ['offerDecline', 'decline', 'Declines an offer: others are asked, and the viewer not again for a minute.'],
] as const) {
  const type = `${name[0]?.toUpperCase()}${name.slice(1)}`;
  builder.mutationField(name, (t) =>
    t.field({
      type: conversationPayload(type),
      description,
      args: { input: t.arg({ type: idInput(type, 'conversationId'), required: true, description: 'Which offer.' }) },
      resolve: (_root, { input }, { caller, services, changes }) =>
        changes.run<Conversation>(async (commit) =>
          services.engine.conversations[method](commit, caller, conversationId(input.conversationId)),
        ),
    }),
  );
}

builder.mutationFields((t) => ({
  messageSend: t.field({
    type: payloadType<Message>('MessageSend', { name: 'message', type: MessageRef }),
    description: 'Writes in a conversation that the viewer has. It is stored before it is answered.',
    args: {
      input: t.arg({
        type: builder.inputType('MessageSendInput', {
          description: 'A message.',
          fields: (f) => ({
            conversationId: f.id({ required: true, description: 'The conversation.' }),
            clientId: f.string({
              description:
                'Your own name for the message, 1 to 64 characters. Sent again with the same name it is not stored twice.',
            }),
            text: f.string({ required: true, description: '1 to 10000 characters.' }),
          }),
        }),
        required: true,
        description: 'The message.',
      }),
    },
    resolve: (_root, { input: { conversationId: id, ...content } }, { caller, services, changes }) =>
      changes.run<Message>(async (commit) => {
        const message = { conversationId: conversationId(id), ...validate(newMessage, content) };
        return services.engine.conversations.send(commit, caller, message);
      }),
  }),
  conversationTransfer: t.field({
    type: conversationPayload('ConversationTransfer'),
    description:
      'Passes a running conversation on: to an operator, who is asked first, or back into the queue for a skill or a group. For whoever has it, and their managers.',
    args: {
      input: t.arg({
        type: builder.inputType('ConversationTransferInput', {
          description: 'What is passed on, and to whom: exactly one of operator, skill and group.',
          fields: (f) => ({
            id: f.id({ required: true, description: 'The conversation.' }),
            operatorId: f.id({ description: 'To this operator.' }),
            skillId: f.id({ description: 'To somebody with this skill.' }),
            groupId: f.id({ description: 'To somebody of this group.' }),
            force: f.boolean({
              defaultValue: false,
              description: 'Whether or not the operator is there and free; it is recorded. For managers and admins.',
            }),
          }),
        }),
        required: true,
        description: 'What is passed on, and to whom.',
      }),
    },
    resolve: (_root, { input }, { caller, services, changes }) =>
      changes.run<Conversation>(async (commit) =>
        services.engine.conversations.transfer(commit, caller, {
          id: conversationId(input.id),
          operatorId: relationId('operatorId', input.operatorId),
          skillId: relationId('skillId', input.skillId),
          groupId: relationId('groupId', input.groupId),
          force: input.force ?? false,
        }),
      ),
  }),
  conversationEscalate: t.field({
    type: conversationPayload('ConversationEscalate'),
    description:
      'Begins a video out of a chat that the viewer has, and answers with the video. The chat goes on beside it.',
    args: {
      input: t.arg({ type: idInput('ConversationEscalate', 'id'), required: true, description: 'Which chat.' }),
    },
    resolve: (_root, { input }, { caller, services, changes }) =>
      changes.run<Conversation>(async (commit) =>
        services.engine.conversations.escalate(commit, caller, conversationId(input.id)),
      ),
  }),
  conversationTag: t.field({
    type: conversationPayload('ConversationTag'),
    description: 'Sets the tags of a conversation, all of them at once. For whoever has it, and their managers.',
    args: {
      input: t.arg({
        type: builder.inputType('ConversationTagInput', {
          description: 'A conversation and its tags.',
          fields: (f) => ({
            id: f.id({ required: true, description: 'The conversation.' }),
            tagIds: f.idList({ required: true, description: `The tags that it shall have, ${MOST_TAGS} at most.` }),
          }),
        }),
        required: true,
        description: 'The tags.',
      }),
    },
    resolve: (_root, { input }, { caller, services, changes }) =>
      changes.run<Conversation>(async (commit) => {
        if (input.tagIds.length > MOST_TAGS) throw invalidField('tagIds', `must be ${MOST_TAGS} at most`);
        const tagIds = inputIds('tagIds', input.tagIds);
        return services.engine.conversations.tag(commit, caller, conversationId(input.id), tagIds);
      }),
  }),
  conversationClose: t.field({
    type: conversationPayload('ConversationClose'),
    description: 'Ends a conversation; its slot goes to whoever waits. For whoever has it, and their managers.',
    args: { input: t.arg({ type: idInput('ConversationClose', 'id'), required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, { caller, services, changes }) =>
      changes.run<Conversation>(async (commit) =>
        services.engine.conversations.close(commit, caller, conversationId(input.id)),
      ),
  }),
  conversationTake: t.field({
    type: conversationPayload('ConversationTake'),
    description:
      'Gives a conversation to an operator at once, whoever has it now, without asking them. For managers within their groups, and admins.',
    args: {
      input: t.arg({
        type: builder.inputType('ConversationTakeInput', {
          description: 'A conversation, and who gets it.',
          fields: (f) => ({
            id: f.id({ required: true, description: 'The conversation.' }),
            operatorId: f.id({ required: true, description: 'Who gets it.' }),
            force: f.boolean({
              defaultValue: false,
              description: 'Whether or not the operator is there and free; it is recorded.',
            }),
          }),
        }),
        required: true,
        description: 'A conversation, and who gets it.',
      }),
    },
    resolve: (_root, { input }, { caller, services, changes }) =>
      changes.run<Conversation>(async (commit) => {
        const operatorId = inputId('operatorId', input.operatorId);
        const force = input.force ?? false;
        return services.engine.conversations.take(commit, caller, { id: conversationId(input.id), operatorId, force });
      }),
  }),
}));
