import { findInvolvement, type Involvement } from '../../../core/engine/conversations/conversation-access.ts';
import type { MessageWindow } from '../../../core/engine/conversations/message-query.ts';
import { canRead } from '../../../core/engine/conversations/read-access.ts';
import { MAX_COUNTED_MESSAGES } from '../../../core/engine/conversations/read-markers.ts';
import type { VisitorState } from '../../../core/engine/presence/visitor-presence.ts';
import {
  CLOSE_REASON_DESCRIPTIONS,
  type ClosedBy,
  type CloseReason,
  type Conversation,
  type ConversationState,
} from '../../../core/engine/records/conversation.ts';
import type { Message } from '../../../core/engine/records/message-store.ts';
import { parseNotice, renderText } from '../../../core/engine/records/notices.ts';
import { requireSize } from '../../graphql-server/connection.ts';
import { forbiddenError, graphqlError } from '../../graphql-server/errors.ts';
import { loadOrNull } from '../../graphql-server/loaders.ts';
import { NOTICE_FIELD_DESCRIPTION } from '../../graphql-server/notice.ts';
import { builder, ChannelEnum, createEnum, NoticeRef } from '../builder.ts';
import type { Context } from '../context.ts';
import { AttachmentRef } from './attachment.ts';
import { GroupRef, SkillRef, WebsiteRef } from './directory.ts';
import { OperatorRef } from './operator.ts';
import { TagRef } from './tag.ts';
import { SatisfactionRef, VisitorRef } from './visitor.ts';

export const ConversationStateEnum = createEnum<ConversationState>(
  'ConversationState',
  'The state of a conversation. It goes from QUEUED through OFFERED to ACTIVE, returns to QUEUED if an offer fails or the operator disconnects, and can be CLOSED from any state.',
  {
    queued: 'Waiting for an operator.',
    offered: 'Offered to an operator, whose slot is reserved.',
    active: 'Accepted by an operator.',
    closed: 'Closed.',
  },
);

const ClosedByEnum = createEnum<ClosedBy>('ClosedBy', 'Who closed a conversation.', {
  operator: 'The operator who handled it, or a manager.',
  visitor: 'The visitor.',
  api_key: 'An integration with an API key.',
  system: 'The service itself.',
});

const CloseReasonEnum = createEnum<CloseReason>(
  'CloseReason',
  'Why the service closed a conversation.',
  CLOSE_REASON_DESCRIPTIONS,
);

const MessageAuthorEnum = createEnum<Message['authorType']>('MessageAuthor', 'The author of a message.', {
  operator: 'An operator.',
  visitor: 'The visitor.',
  notice: 'The service, to inform the visitor and the operator.',
});

const createGroupIdLookup = ({ load }: Context) => {
  return async (operatorId: number) => (await load.operator.load(operatorId))?.groupId ?? null;
};

/**
 * Conversations are visible to the operator who handles them, their managers and admins; waiting ones also to operators
 * who may take them, closed ones to operators who serve the visitor now.
 */
export function canSee(conversation: Conversation, context: Context): Promise<boolean> {
  const { caller, load } = context;
  return canRead(caller, conversation, {
    loadGroupId: createGroupIdLookup(context),
    loadDeskSettings: load.deskSettings,
    couldServe: (id) => load.couldServe.load(id),
    servesVisitor: (id) => load.servesVisitor.load(id),
  });
}

/** How the caller takes part: reading goes further. */
export function loadInvolvement(conversation: Conversation, context: Context): Promise<Involvement> {
  return findInvolvement(context.caller, conversation, createGroupIdLookup(context));
}

async function renderForCaller(message: Message, { caller, load }: Context): Promise<string> {
  const reader = caller.operatorId === null ? undefined : await load.operator.load(caller.operatorId);
  return reader ? renderText(message, reader.languageAdmin) : message.text;
}

export const MessageRef = builder.objectRef<Message>('Message').implement({
  description: 'A message of a conversation.',
  fields: (t) => ({
    sequence: t.exposeInt('sequence', {
      description:
        'The number of the message in its conversation: 1, 2, 3 … without gaps. Pass that of your last message as `after` to continue.',
    }),
    clientId: t.exposeString('clientId', {
      nullable: true,
      description: 'The identifier that the client chose when sending.',
    }),
    author: t.expose('authorType', { type: MessageAuthorEnum, description: 'Who wrote the message.' }),
    operator: t.field({
      type: OperatorRef,
      nullable: true,
      description: 'The operator who wrote the message. Null for other authors and deleted operators.',
      resolve: async ({ authorType, authorId }, _args, { load }) =>
        authorType === 'operator' && authorId !== null ? ((await load.operator.load(authorId)) ?? null) : null,
    }),
    text: t.string({
      description:
        "The text, exactly as it was sent. Notices are in the operator's `languageAdmin`; for API keys in the website's.",
      resolve: (message, _args, context) =>
        message.noticeCode === null ? message.text : renderForCaller(message, context),
    }),
    notice: t.field({
      type: NoticeRef,
      nullable: true,
      description: NOTICE_FIELD_DESCRIPTION,
      resolve: (message) => parseNotice(message),
    }),
    attachments: t.field({
      type: [AttachmentRef],
      description: 'The files that were sent with the message, in order.',
      resolve: ({ conversationId, sequence }, _args, { load }) =>
        load.conversations.attachments.load({ conversationId, sequence }),
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When the message was stored.' }),
  }),
});

export const ConversationRef = builder.objectRef<Conversation>('Conversation');

ConversationRef.implement({
  description:
    'A conversation with a visitor. Visible to the operator who handles it, their managers and admins. With `Account.operatorsMayTake`, a queued one is also visible to operators and managers who could serve it; with `Account.shareVisitorHistory`, a closed one to those who serve its visitor now.',
  fields: (t) => {
    const timestamp = (
      name: 'offeredAt' | 'offerUntil' | 'acceptedAt' | 'firstAnswerAt' | 'closedAt',
      description: string,
    ) => t.field({ type: 'DateTime', nullable: true, description, resolve: (row) => row[name] });
    return {
      id: t.exposeID('id', { description: 'The identifier of the conversation.' }),
      channel: t.expose('channel', { type: ChannelEnum, description: 'The channel of the conversation.' }),
      state: t.expose('state', { type: ConversationStateEnum, description: 'The state of the conversation.' }),
      website: t.field({
        type: WebsiteRef,
        nullable: true,
        description: 'The website on which it was started. Null if the website was deleted.',
        resolve: ({ websiteId }, _args, { load }) => loadOrNull(load.website, websiteId),
      }),
      visitor: t.field({
        type: VisitorRef,
        nullable: true,
        description: 'The visitor, if known. Experts read it only while they serve the visitor.',
        resolve: async ({ visitorId }, _args, { caller, load }) => {
          if (visitorId === null) return null;
          if (caller.accessLevel === 'expert' && !(await load.servesVisitor.load(visitorId))) throw forbiddenError();
          return loadOrNull(load.visitor, visitorId);
        },
      }),
      visitorPresent: t.boolean({
        nullable: true,
        description:
          'Whether the visitor is present: a socket of theirs answers, or they asked within the last minute. Null when the conversation is closed, and if the visitor has had no socket.',
        resolve: async (row, _args, context) => {
          const presence = await loadPresence(row, context);
          return presence && presence.leftAt === null;
        },
      }),
      visitorLeftAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When the visitor left. Null while they are present, and when `visitorPresent` is null.',
        resolve: async (row, _args, context) => (await loadPresence(row, context))?.leftAt ?? null,
      }),
      skill: t.field({
        type: SkillRef,
        nullable: true,
        description: 'The requested skill.',
        resolve: ({ skillId }, _args, { load }) => loadOrNull(load.skill, skillId),
      }),
      group: t.field({
        type: GroupRef,
        nullable: true,
        description: 'The requested group.',
        resolve: ({ groupId }, _args, { load }) => loadOrNull(load.group, groupId),
      }),
      language: t.exposeString('language', { description: 'The requested language (ISO 639-1).' }),
      operator: t.field({
        type: OperatorRef,
        nullable: true,
        description: 'The operator who handles the conversation, or to whom it is offered. Null while queued.',
        resolve: ({ operatorId }, _args, { load }) => loadOrNull(load.operator, operatorId),
      }),
      createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the conversation was started.' }),
      hasWaited: t.exposeBoolean('hasWaited', { description: 'Whether the conversation has ever been queued.' }),
      offeredAt: timestamp('offeredAt', 'When it was last offered or assigned to an operator.'),
      offerUntil: timestamp('offerUntil', 'When the open offer expires.'),
      acceptedAt: timestamp('acceptedAt', 'When an operator first accepted the conversation.'),
      firstAnswerAt: timestamp('firstAnswerAt', 'When an operator first answered.'),
      closedAt: timestamp('closedAt', 'When the conversation was closed.'),
      closedBy: t.expose('closedBy', {
        type: ClosedByEnum,
        nullable: true,
        description: 'Who closed the conversation.',
      }),
      closedByOperator: t.field({
        type: OperatorRef,
        nullable: true,
        description: 'The operator who closed the conversation, if an operator did and still exists.',
        resolve: ({ closedBy, closedById }, _args, { load }) =>
          loadOrNull(load.operator, closedBy === 'operator' ? closedById : null),
      }),
      closeReason: t.expose('closeReason', {
        type: CloseReasonEnum,
        nullable: true,
        description: 'Why it was closed. Null if a person or an integration closed it on purpose.',
      }),
      tags: t.field({
        type: [TagRef],
        description: 'The tags of the conversation.',
        resolve: async ({ id }, _args, { load }) => load.tag.loadAll(await load.conversations.tagIds.load(id)),
      }),
      messageCount: t.exposeInt('messageCount', {
        description: 'The number of messages, which is also the sequence number of the newest.',
      }),
      messages: t.field({
        type: [MessageRef],
        description: 'The messages, oldest first.',
        args: {
          after: t.arg.int({ description: 'Returns the messages after this sequence number. Defaults to 0.' }),
          first: t.arg.int({ description: 'Returns the first _n_ messages. Defaults to 50, at most 100.' }),
          last: t.arg.int({
            description: 'Returns the newest _n_ messages, at most 100. Cannot be combined with `after` or `first`.',
          }),
        },
        resolve: ({ id }, args, { load }) =>
          load.conversations.messages.load({ ownerId: id, window: parseMessageWindow(args) }),
      }),
      readByVisitorUpTo: t.int({
        description: 'The number of the last message that the visitor has read; 0 if none.',
        resolve: async ({ id }, _args, { load }) => (await load.conversations.readMarkers.load(id)).visitorUpTo,
      }),
      readByOperatorUpTo: t.int({
        description: 'The number of the last message that an operator has read; 0 if none.',
        resolve: async ({ id }, _args, { load }) => (await load.conversations.readMarkers.load(id)).operatorUpTo,
      }),
      unreadCount: t.int({
        description: `The number of messages of the visitor that no operator has read, among the newest ${MAX_COUNTED_MESSAGES} messages.`,
        resolve: ({ id }, _args, { load }) => load.conversations.unreadCount.load({ ownerId: id }),
      }),
      queuePosition: t.int({
        nullable: true,
        description:
          'The position among queued conversations with the same requirements, starting at 1. Null unless queued.',
        resolve: ({ id, state }, _args, { load }) =>
          state === 'queued' ? load.conversations.queuePosition.load(id) : null,
      }),
      estimatedWaitSeconds: t.int({
        nullable: true,
        description:
          'How long the conversation still has to wait, from how many conversations of the same skill and channel were started in the last 30 minutes. Null unless queued, and with fewer than 10 starts.',
        resolve: ({ id, state }, _args, { load }) =>
          state === 'queued' ? load.conversations.estimatedWait.load(id) : null,
      }),
      escalatedFrom: t.field({
        type: ConversationRef,
        nullable: true,
        description: 'The chat from which this video was escalated.',
        resolve: async ({ escalatedFromId }, _args, context) => {
          const chat =
            escalatedFromId === null ? undefined : await context.load.conversations.byId.load(escalatedFromId);
          if (chat && !(await canSee(chat, context))) throw forbiddenError();
          return chat ?? null;
        },
      }),
      satisfaction: t.field({
        type: SatisfactionRef,
        nullable: true,
        description: "The visitor's answer to the satisfaction survey, if any.",
        resolve: ({ id }, _args, { load }) => loadOrNull(load.conversations.satisfaction, id),
      }),
    };
  },
});

async function loadPresence({ state, visitorId }: Conversation, { load }: Context): Promise<VisitorState | null> {
  return state === 'closed' ? null : loadOrNull(load.visitorPresence, visitorId);
}

type OptionalInt = number | null | undefined;

const DEFAULT_MESSAGES = 50;
const MAX_MESSAGES = 100;

function parseMessageWindow({
  after,
  first,
  last,
}: {
  after?: OptionalInt;
  first?: OptionalInt;
  last?: OptionalInt;
}): MessageWindow {
  const hasBoth = typeof last === 'number' && (typeof first === 'number' || typeof after === 'number');
  if (hasBoth) throw graphqlError('BAD_REQUEST', 'Use last, or after and first, not both.');
  requireSize('first', first, MAX_MESSAGES);
  requireSize('last', last, MAX_MESSAGES);
  if (typeof last === 'number') return { last };
  return { after: Math.max(after ?? 0, 0), first: first ?? DEFAULT_MESSAGES };
}
