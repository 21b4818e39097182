import { z } from 'zod';
import { clientId, messageText } from '../../../core/engine/conversations/messages.ts';
import { validate } from '../../../core/kernel/validate.ts';
import { idOf, inputId, inputIds } from '../../graphql-server/ids.ts';
import { changed } from '../../graphql-server/mutation.ts';
import { type InputFieldBuilder, idInput, mutation } from '../builder.ts';
import { ConversationRef, MessageRef } from './conversation.ts';

const MAX_TAGS = 100;

const newMessage = z.strictObject({ clientId: clientId.nullish(), text: messageText });

const conversationId = (text: string) => idOf('conversation', text);
const relationId = (path: string, text: string | null | undefined) =>
  text === null || text === undefined ? undefined : inputId(path, text);

const conversationInput = idInput('Which conversation.', 'The conversation.');
const offerInput = {
  description: 'Which conversation.',
  fields: (t: InputFieldBuilder) => ({ conversationId: t.id({ required: true, description: 'The conversation.' }) }),
};

mutation('offerAccept', {
  description: 'Accepts an offer: the conversation is the viewer’s from now on. A second time is harmless.',
  argument: 'Which offer.',
  input: offerInput,
  answer: changed('conversation', ConversationRef),
  run: (commit, { caller, services }, input) =>
    services.engine.conversations.accept(commit, caller, conversationId(input.conversationId)),
});

mutation('offerDecline', {
  description: 'Declines an offer: others are asked, and the viewer not again for a minute.',
  argument: 'Which offer.',
  input: offerInput,
  answer: changed('conversation', ConversationRef),
  run: (commit, { caller, services }, input) =>
    services.engine.conversations.decline(commit, caller, conversationId(input.conversationId)),
});

mutation('messageSend', {
  description: 'Writes in a conversation that the viewer has. It is stored before it is answered.',
  argument: 'The message.',
  input: {
    description: 'A message.',
    fields: (t) => ({
      conversationId: t.id({ required: true, description: 'The conversation.' }),
      clientId: t.string({
        description:
          'Your own name for the message, 1 to 64 characters. Sent again with the same name it is not stored twice.',
      }),
      text: t.string({ required: true, description: '1 to 10000 characters.' }),
    }),
  },
  answer: changed('message', MessageRef),
  run: (commit, { caller, services }, { conversationId: id, ...content }) => {
    const message = { conversationId: conversationId(id), ...validate(newMessage, content) };
    return services.engine.conversations.send(commit, caller, message);
  },
});

mutation('conversationTransfer', {
  description:
    'Passes a running conversation on: to an operator, who is asked first, or back into the queue for a skill or a group. For whoever has it, and their managers.',
  argument: 'What is passed on, and to whom.',
  input: {
    description: 'What is passed on, and to whom: exactly one of operator, skill and group.',
    fields: (t) => ({
      id: t.id({ required: true, description: 'The conversation.' }),
      operatorId: t.id({ description: 'To this operator.' }),
      skillId: t.id({ description: 'To somebody with this skill.' }),
      groupId: t.id({ description: 'To somebody of this group.' }),
      force: t.boolean({
        defaultValue: false,
        description: 'Whether or not the operator is there and free; it is recorded. For managers and admins.',
      }),
    }),
  },
  answer: changed('conversation', ConversationRef),
  run: (commit, { caller, services }, input) =>
    services.engine.conversations.transfer(commit, caller, {
      id: conversationId(input.id),
      operatorId: relationId('operatorId', input.operatorId),
      skillId: relationId('skillId', input.skillId),
      groupId: relationId('groupId', input.groupId),
      force: input.force ?? false,
    }),
});

mutation('conversationEscalate', {
  description:
    'Begins a video out of a chat that the viewer has, and answers with the video. The chat goes on beside it.',
  argument: 'Which chat.',
  input: conversationInput,
  answer: changed('conversation', ConversationRef),
  run: (commit, { caller, services }, { id }) =>
    services.engine.conversations.escalate(commit, caller, conversationId(id)),
});

mutation('conversationTag', {
  description: 'Sets the tags of a conversation, all of them at once. For whoever has it, and their managers.',
  argument: 'The tags.',
  input: {
    description: 'A conversation and its tags.',
    fields: (t) => ({
      id: t.id({ required: true, description: 'The conversation.' }),
      tagIds: t.idList({ required: true, description: `The tags that it shall have, ${MAX_TAGS} at most.` }),
    }),
  },
  answer: changed('conversation', ConversationRef),
  run: (commit, { caller, services }, input) => {
    const tagIds = inputIds('tagIds', input.tagIds, MAX_TAGS);
    return services.engine.conversations.tag(commit, caller, conversationId(input.id), tagIds);
  },
});

mutation('conversationClose', {
  description: 'Ends a conversation; its slot goes to whoever waits. For whoever has it, and their managers.',
  argument: 'Which one.',
  input: conversationInput,
  answer: changed('conversation', ConversationRef),
  run: (commit, { caller, services }, { id }) =>
    services.engine.conversations.close(commit, caller, conversationId(id)),
});

mutation('conversationTake', {
  description:
    'Gives a conversation to an operator at once, whoever has it now, without asking them. For managers within their groups, and admins.',
  argument: 'A conversation, and who gets it.',
  input: {
    description: 'A conversation, and who gets it.',
    fields: (t) => ({
      id: t.id({ required: true, description: 'The conversation.' }),
      operatorId: t.id({ required: true, description: 'Who gets it.' }),
      force: t.boolean({
        defaultValue: false,
        description: 'Whether or not the operator is there and free; it is recorded.',
      }),
    }),
  },
  answer: changed('conversation', ConversationRef),
  run: (commit, { caller, services }, input) => {
    const operatorId = inputId('operatorId', input.operatorId);
    const force = input.force ?? false;
    return services.engine.conversations.take(commit, caller, { id: conversationId(input.id), operatorId, force });
  },
});
