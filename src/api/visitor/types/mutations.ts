import { z } from 'zod';
import { clientId, messageText } from '../../../core/engine/conversations/messages.ts';
import { answerSatisfaction, satisfactionAnswer } from '../../../core/engine/conversations/satisfaction.ts';
import { conversationStart } from '../../../core/engine/conversations/start.ts';
import type { Conversation } from '../../../core/engine/records/conversation.ts';
import type { Message } from '../../../core/engine/records/message-store.ts';
import type { Satisfaction } from '../../../core/engine/records/satisfaction-store.ts';
import { PROFILE_FIELDS, visitorProfile, visitorUpdate } from '../../../core/engine/records/visitor-profile.ts';
import { validate } from '../../../core/kernel/validate.ts';
import type { Visitor } from '../../../core/visitors/visitor-query.ts';
import { idOf, inputId } from '../../graphql-server/ids.ts';
import { builder, ChannelEnum, payloadType } from '../builder.ts';
import { ConversationRef } from './conversation.ts';
import { MessageRef } from './message.ts';
import { SatisfactionRef } from './satisfaction.ts';
import { VisitorRef } from './visitor.ts';

const newMessage = z.strictObject({ clientId: clientId.nullish(), text: messageText });

const CLIENT_ID =
  'Your own name for it, at most 64 characters: when you send it again with the same name, it is not done twice.';

const ConversationStartInput = builder.inputType('ConversationStartInput', {
  description: 'What the conversation is to be.',
  fields: (t) => ({
    channel: t.field({ type: ChannelEnum, required: true, description: 'How it is held.' }),
    skillId: t.id({ description: 'The skill that it needs.' }),
    groupId: t.id({ description: 'The group that should answer.' }),
    language: t.string({ description: 'The language (ISO 639-1); that of the session if nothing is said.' }),
    message: t.string({ description: 'The first message.' }),
    clientId: t.string({ description: CLIENT_ID }),
  }),
});

const MessageSendInput = builder.inputType('MessageSendInput', {
  description: 'A message.',
  fields: (t) => ({
    conversationId: t.id({ required: true, description: 'Where it belongs.' }),
    clientId: t.string({ description: CLIENT_ID }),
    text: t.string({ required: true, description: 'What is said: 1 to 10000 characters.' }),
  }),
});

const ConversationCloseInput = builder.inputType('ConversationCloseInput', {
  description: 'What is closed.',
  fields: (t) => ({ id: t.id({ required: true, description: 'The conversation.' }) }),
});

const SatisfactionAnswerInput = builder.inputType('SatisfactionAnswerInput', {
  description: 'The answers to the survey of a conversation.',
  fields: (t) => ({
    conversationId: t.id({ required: true, description: 'The conversation.' }),
    welcome: t.int({ required: true, description: 'Note for the welcome, from 1 to 5.' }),
    resolution: t.int({ required: true, description: 'Note for the resolution, from 1 to 5.' }),
    delay: t.int({ required: true, description: 'Note for the delay, from 1 to 5.' }),
    comment: t.string({ description: 'Words, at most 2000 characters.' }),
  }),
});

const VisitorUpdateInput = builder.inputType('VisitorUpdateInput', {
  description: 'What the visitor tells of themself. What is left out stays.',
  fields: (t) =>
    Object.fromEntries(
      PROFILE_FIELDS.map((name) => [
        name,
        t.string({ description: visitorProfile.shape[name].meta()?.description ?? '' }),
      ]),
    ),
});

builder.mutationFields((t) => ({
  conversationStart: t.field({
    type: payloadType<Conversation>('ConversationStart', { name: 'conversation', type: ConversationRef }),
    description: 'Begins a conversation: it is offered to an operator, or waits for one.',
    args: { input: t.arg({ type: ConversationStartInput, required: true, description: 'The conversation.' }) },
    resolve: (_root, { input: { skillId, groupId, ...input } }, { visitor, address, services, changes }) =>
      changes.run<Conversation>(async (commit) => {
        const fields = validate(conversationStart, {
          ...input,
          skillId: typeof skillId === 'string' ? inputId('skillId', skillId) : null,
          groupId: typeof groupId === 'string' ? inputId('groupId', groupId) : null,
        });
        await services.visitors.limits.admitStart(visitor, address);
        return services.engine.conversations.start(commit, visitor, fields);
      }),
  }),
  messageSend: t.field({
    type: payloadType<Message>('MessageSend', { name: 'message', type: MessageRef }),
    description: 'Writes to a conversation. What is answered is stored.',
    args: { input: t.arg({ type: MessageSendInput, required: true, description: 'The message.' }) },
    resolve: (_root, { input: { conversationId, ...input } }, { visitor, services, changes }) =>
      changes.run<Message>(async (commit) => {
        const message = { ...validate(newMessage, input), conversationId: idOf('conversation', conversationId) };
        return services.engine.conversations.sendAsVisitor(
          (work) =>
            commit(async (tx) => {
              await services.visitors.limits.admitMessage(tx, visitor);
              return work(tx);
            }),
          visitor,
          message,
        );
      }),
  }),
  conversationClose: t.field({
    type: payloadType<Conversation>('ConversationClose', { name: 'conversation', type: ConversationRef }),
    description: 'Ends a conversation.',
    args: { input: t.arg({ type: ConversationCloseInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, { visitor, services, changes }) =>
      changes.run<Conversation>(async (commit) =>
        services.engine.conversations.closeAsVisitor(commit, visitor, idOf('conversation', input.id)),
      ),
  }),
  satisfactionAnswer: t.field({
    type: payloadType<Satisfaction>('SatisfactionAnswer', { name: 'satisfaction', type: SatisfactionRef }),
    description: 'Answers the survey of a conversation that an operator has had, once.',
    args: { input: t.arg({ type: SatisfactionAnswerInput, required: true, description: 'The answers.' }) },
    resolve: (_root, { input: { conversationId, ...input } }, { visitor, changes }) =>
      changes.run<Satisfaction>(async (commit) => {
        const answer = validate(satisfactionAnswer, input);
        return answerSatisfaction(commit, visitor, idOf('conversation', conversationId), answer);
      }),
  }),
  visitorUpdate: t.field({
    type: payloadType<Visitor>('VisitorUpdate', { name: 'visitor', type: VisitorRef }),
    description: 'Tells something of the visitor. Changes the fields that it names and no others.',
    args: { input: t.arg({ type: VisitorUpdateInput, required: true, description: 'The change.' }) },
    resolve: (_root, { input }, { visitor, services, changes }) =>
      changes.run<Visitor>(async (commit) => {
        const named = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
        return services.visitors.profiles.update(commit, visitor, validate(visitorUpdate, named));
      }),
  }),
}));
