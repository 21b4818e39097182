import { involvement } from '../../../core/engine/conversations/conversation-access.ts';
import type { MessageWindow } from '../../../core/engine/conversations/message-query.ts';
import type { ClosedBy, Conversation, ConversationState } from '../../../core/engine/records/conversation.ts';
import type { Message } from '../../../core/engine/records/message-store.ts';
import { requireSize } from '../../graphql-server/connection.ts';
import { forbiddenError, graphqlError } from '../../graphql-server/errors.ts';
import { loadOrNull } from '../../graphql-server/loaders.ts';
import { builder, ChannelEnum, wordsEnum } from '../builder.ts';
import type { Context } from '../context.ts';
import { existing } from '../loaders.ts';
import { GroupRef, SkillRef, WebsiteRef } from './directory.ts';
import { OperatorRef } from './operator.ts';
import { TagRef } from './tag.ts';
import { SatisfactionRef, VisitorRef } from './visitor.ts';

export const ConversationStateEnum = wordsEnum<ConversationState>(
  'ConversationState',
  'How far a conversation has come: from QUEUED over OFFERED to ACTIVE, back when an offer or an operator is lost, and to CLOSED from everywhere.',
  {
    queued: 'Waits for an operator.',
    offered: 'An operator is asked, and holds a slot for it.',
    active: 'An operator has accepted it.',
    closed: 'It has ended.',
  },
);

const ClosedByEnum = wordsEnum<ClosedBy>('ClosedBy', 'Who ended a conversation.', {
  operator: 'An operator: the one who had it, or a manager.',
  visitor: 'The visitor.',
  api_key: 'An integration, by a key.',
  system: 'The service itself.',
});

const MessageAuthorEnum = wordsEnum<Message['authorType']>('MessageAuthor', 'Who wrote a message.', {
  operator: 'An operator.',
  visitor: 'The visitor.',
  notice: 'The service, to tell those who talk what is going on.',
});

/** Whether the viewer may see a conversation: whoever has it, and their managers. */
export async function maySee(
  conversation: Pick<Conversation, 'operatorId' | 'groupId'>,
  { caller, load }: Context,
): Promise<boolean> {
  const groupOf = async (id: number) => (await load.operator.load(id))?.groupId ?? null;
  return (await involvement(caller, conversation, groupOf)) !== 'none';
}

export const MessageRef = builder.objectRef<Message>('Message').implement({
  description: 'One message of a conversation.',
  fields: (t) => ({
    sequence: t.exposeInt('sequence', {
      description:
        'Its number in the conversation: 1, 2, 3 … without holes. Ask for what comes after the last one you have.',
    }),
    clientId: t.exposeString('clientId', { nullable: true, description: "The sender's own name for it." }),
    author: t.expose('authorType', { type: MessageAuthorEnum, description: 'Who wrote it.' }),
    operator: t.field({
      type: OperatorRef,
      nullable: true,
      description: 'The operator who wrote it, if one did and is still there.',
      resolve: async ({ authorType, authorId }, _args, { load }) =>
        authorType === 'operator' && authorId !== null ? ((await load.operator.load(authorId)) ?? null) : null,
    }),
    text: t.exposeString('text', { description: 'What was written, as it was written.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When it was stored.' }),
  }),
});

export const ConversationRef = builder.objectRef<Conversation>('Conversation');

ConversationRef.implement({
  description:
    'A conversation of a visitor. Readable by the operator who has it, by managers of their groups, and by admins.',
  fields: (t) => {
    const moment = (
      name: 'offeredAt' | 'offerUntil' | 'acceptedAt' | 'firstAnswerAt' | 'closedAt',
      description: string,
    ) => t.field({ type: 'DateTime', nullable: true, description, resolve: (row) => row[name] });
    return {
      id: t.exposeID('id', { description: 'Identifier.' }),
      channel: t.expose('channel', { type: ChannelEnum, description: 'How it is held.' }),
      state: t.expose('state', { type: ConversationStateEnum, description: 'How far it has come.' }),
      website: t.field({
        type: WebsiteRef,
        nullable: true,
        description: 'Where it began, if that still is a website of the account.',
        resolve: ({ websiteId }, _args, { load }) => loadOrNull(load.website, websiteId),
      }),
      visitor: t.field({
        type: VisitorRef,
        nullable: true,
        description: 'Whose it is, as far as that is known.',
        resolve: ({ visitorId }, _args, { load }) => loadOrNull(load.visitor, visitorId),
      }),
      skill: t.field({
        type: SkillRef,
        nullable: true,
        description: 'The skill that it asks for.',
        resolve: ({ skillId }, _args, { load }) => loadOrNull(load.skill, skillId),
      }),
      group: t.field({
        type: GroupRef,
        nullable: true,
        description: 'The group that it asks for.',
        resolve: ({ groupId }, _args, { load }) => loadOrNull(load.group, groupId),
      }),
      language: t.exposeString('language', { description: 'The language that it asks for (ISO 639-1).' }),
      operator: t.field({
        type: OperatorRef,
        nullable: true,
        description: 'Who has it, or is asked; nobody while it waits.',
        resolve: ({ operatorId }, _args, { load }) => loadOrNull(load.operator, operatorId),
      }),
      createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it began.' }),
      hasWaited: t.exposeBoolean('hasWaited', { description: 'Whether nobody was free at once.' }),
      offeredAt: moment('offeredAt', 'When it was last offered or given to an operator.'),
      offerUntil: moment('offerUntil', 'Until when the offer waits for an answer.'),
      acceptedAt: moment('acceptedAt', 'When an operator first accepted it.'),
      firstAnswerAt: moment('firstAnswerAt', 'When an operator first answered.'),
      closedAt: moment('closedAt', 'When it ended.'),
      closedBy: t.expose('closedBy', { type: ClosedByEnum, nullable: true, description: 'Who ended it.' }),
      tags: t.field({
        type: [TagRef],
        description: 'The words that were put on it.',
        resolve: async ({ id }, _args, { load }) =>
          existing(await load.tag.loadMany(await load.conversations.tagIds.load(id))),
      }),
      messageCount: t.exposeInt('messageCount', {
        description: 'How many messages it has: also the sequence number of the newest.',
      }),
      messages: t.field({
        type: [MessageRef],
        description: 'What was said, in order: the first ones after a number, or the newest.',
        args: {
          after: t.arg.int({ description: 'Only what has a higher sequence number; 0 if nothing is said.' }),
          first: t.arg.int({ description: 'How many from there: 50 if nothing is said, 100 at most.' }),
          last: t.arg.int({ description: 'How many of the newest, instead of `after` and `first`; 100 at most.' }),
        },
        resolve: ({ id }, args, { load }) =>
          load.conversations.messages.load({ ownerId: id, window: readWindow(args) }),
      }),
      queuePosition: t.int({
        nullable: true,
        description: 'Its place among those that wait for the same; null when it does not wait.',
        resolve: ({ id, state }, _args, { load }) =>
          state === 'queued' ? load.conversations.queuePosition.load(id) : null,
      }),
      escalatedFrom: t.field({
        type: ConversationRef,
        nullable: true,
        description: 'The chat of which this video is the continuation.',
        resolve: async ({ escalatedFromId }, _args, context) => {
          const chat =
            escalatedFromId === null ? undefined : await context.load.conversations.byId.load(escalatedFromId);
          if (chat && !(await maySee(chat, context))) throw forbiddenError();
          return chat ?? null;
        },
      }),
      satisfaction: t.field({
        type: SatisfactionRef,
        nullable: true,
        description: 'What the visitor thought of it, if they said so.',
        resolve: ({ id }, _args, { load }) => loadOrNull(load.conversations.satisfaction, id),
      }),
    };
  },
});

type Given = number | null | undefined;

const DEFAULT_MESSAGES = 50;
const MAX_MESSAGES = 100;

function readWindow({ after, first, last }: { after?: Given; first?: Given; last?: Given }): MessageWindow {
  const asksBoth = typeof last === 'number' && (typeof first === 'number' || typeof after === 'number');
  if (asksBoth) throw graphqlError('BAD_REQUEST', 'Give last, or after and first, not both.');
  requireSize('first', first, MAX_MESSAGES);
  requireSize('last', last, MAX_MESSAGES);
  if (typeof last === 'number') return { last };
  return { after: Math.max(after ?? 0, 0), first: first ?? DEFAULT_MESSAGES };
}
