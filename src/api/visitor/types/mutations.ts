import { z } from 'zod';
import { clientId, messageText } from '../../../core/engine/conversations/messages.ts';
import { answerSatisfaction, satisfactionAnswer } from '../../../core/engine/conversations/satisfaction.ts';
import { conversationStart } from '../../../core/engine/conversations/start.ts';
import { PROFILE_FIELDS, visitorProfile, visitorUpdate } from '../../../core/engine/records/visitor-profile.ts';
import { validate } from '../../../core/kernel/validate.ts';
import { idOf, inputId } from '../../graphql-server/ids.ts';
import { changed } from '../../graphql-server/mutation.ts';
import { ChannelEnum, idInput, mutation } from '../builder.ts';
import { ConversationRef } from './conversation.ts';
import { MessageRef } from './message.ts';
import { SatisfactionRef } from './satisfaction.ts';
import { VisitorRef } from './visitor.ts';

const newMessage = z.strictObject({ clientId: clientId.nullish(), text: messageText });

const CLIENT_ID =
  'Your own name for it, at most 64 characters: when you send it again with the same name, it is not done twice.';

mutation('conversationStart', {
  description: 'Begins a conversation: it is offered to an operator, or waits for one.',
  argument: 'The conversation.',
  input: {
    description: 'What the conversation is to be.',
    fields: (t) => ({
      channel: t.field({ type: ChannelEnum, required: true, description: 'How it is held.' }),
      skillId: t.id({ description: 'The skill that it needs.' }),
      groupId: t.id({ description: 'The group that should answer.' }),
      language: t.string({ description: 'The language (ISO 639-1); that of the session if nothing is said.' }),
      message: t.string({ description: 'The first message.' }),
      clientId: t.string({ description: CLIENT_ID }),
    }),
  },
  answer: changed('conversation', ConversationRef),
  run: async (commit, { visitor, address, services }, { skillId, groupId, ...input }) => {
    const fields = validate(conversationStart, {
      ...input,
      skillId: typeof skillId === 'string' ? inputId('skillId', skillId) : null,
      groupId: typeof groupId === 'string' ? inputId('groupId', groupId) : null,
    });
    await services.visitors.limits.admitStart(visitor, address);
    return services.engine.conversations.start(commit, visitor, fields);
  },
});

mutation('messageSend', {
  description: 'Writes to a conversation. What is answered is stored.',
  argument: 'The message.',
  input: {
    description: 'A message.',
    fields: (t) => ({
      conversationId: t.id({ required: true, description: 'Where it belongs.' }),
      clientId: t.string({ description: CLIENT_ID }),
      text: t.string({ required: true, description: 'What is said: 1 to 10000 characters.' }),
    }),
  },
  answer: changed('message', MessageRef),
  run: (commit, { visitor, services }, { conversationId, ...input }) => {
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
  },
});

mutation('conversationClose', {
  description: 'Ends a conversation.',
  argument: 'Which one.',
  input: idInput('What is closed.', 'The conversation.'),
  answer: changed('conversation', ConversationRef),
  run: (commit, { visitor, services }, { id }) =>
    services.engine.conversations.closeAsVisitor(commit, visitor, idOf('conversation', id)),
});

mutation('satisfactionAnswer', {
  description: 'Answers the survey of a conversation that an operator has had, once.',
  argument: 'The answers.',
  input: {
    description: 'The answers to the survey of a conversation.',
    fields: (t) => ({
      conversationId: t.id({ required: true, description: 'The conversation.' }),
      welcome: t.int({ required: true, description: 'Note for the welcome, from 1 to 5.' }),
      resolution: t.int({ required: true, description: 'Note for the resolution, from 1 to 5.' }),
      delay: t.int({ required: true, description: 'Note for the delay, from 1 to 5.' }),
      comment: t.string({ description: 'Words, at most 2000 characters.' }),
    }),
  },
  answer: changed('satisfaction', SatisfactionRef),
  run: (commit, { visitor }, { conversationId, ...input }) => {
    const answer = validate(satisfactionAnswer, input);
    return answerSatisfaction(commit, visitor, idOf('conversation', conversationId), answer);
  },
});

mutation('visitorUpdate', {
  description: 'Tells something of the visitor. Changes the fields that it names and no others.',
  argument: 'The change.',
  input: {
    description: 'What the visitor tells of themself. What is left out stays.',
    fields: (t) =>
      Object.fromEntries(
        PROFILE_FIELDS.map((name) => [
          name,
          t.string({ description: visitorProfile.shape[name].meta()?.description ?? '' }),
        ]),
      ),
  },
  answer: changed('visitor', VisitorRef),
  run: (commit, { visitor, services }, input) => {
    const named = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
    return services.visitors.profiles.update(commit, visitor, validate(visitorUpdate, named));
  },
});
