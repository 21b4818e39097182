import { type Conversation, type NewConversation, newConversation } from '../core/engine/records/conversation.ts';
import { insertConversation } from '../core/engine/records/conversation-store.ts';
import { replaceTags } from '../core/engine/records/conversation-tags.ts';
import { insertMessage, type NewMessageRow } from '../core/engine/records/message-store.ts';
import { renderNotice } from '../core/engine/records/notices.ts';
import { insertSatisfaction } from '../core/engine/records/satisfaction-store.ts';
import { addWebsites, insertVisitor } from '../core/engine/records/visitor-store.ts';
import type { ActorContext } from '../core/kernel/caller.ts';
import type { Channel } from '../core/kernel/channels.ts';
import { nextId } from '../core/kernel/ids.ts';
import type { Operator } from '../core/operators/operator.ts';
import type { Transaction } from '../storage/database.ts';
import { DIALOGUES, VISITORS } from './visitors.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CONVERSATION_COUNT = 400;
/** Adds one abandoned conversation for every 10 others. */
const CONVERSATIONS_PER_ABANDONED = 10;

export interface HistoryInput {
  readonly operators: readonly Operator[];
  readonly tags: readonly number[];
}

/**
 * Adds visitors and their conversations from the last few weeks. The newest conversation gets the highest identifier.
 */
export async function addHistory(
  tx: Transaction,
  context: ActorContext,
  { operators, tags }: HistoryInput,
): Promise<void> {
  const pickOperator = (number: number) => operators[(number * 7) % operators.length] as Operator;
  const visitors = await addVisitors(tx, context, collectWebsiteIds(operators), pickOperator);
  for (let index = CONVERSATION_COUNT - 1; index >= 0; index--) {
    const operator = pickOperator(index);
    const createdAt = tx.now - DAY_MS - index * HOUR_MS;
    const visitorId = visitors[index % visitors.length] as number;
    if (index % CONVERSATIONS_PER_ABANDONED === 0) {
      await addAbandonedConversation(tx, context, { operator, visitorId, createdAt: createdAt - HOUR_MS / 2 });
    }
    const channel = (['chat', 'chat', 'call', 'video'] as const)[index % 4] as Channel;
    const waitMs = index % 5 === 2 ? 90_000 : 8000;
    const id = await addConversation(tx, context, {
      ...buildConversationFields(operator, visitorId),
      operatorId: operator.id,
      channel,
      state: 'closed',
      createdAt,
      hasWaited: waitMs > HOUR_MS / 60,
      offeredAt: createdAt + waitMs - 4000,
      acceptedAt: createdAt + waitMs,
      firstAnswerAt: createdAt + waitMs + 7000 + (index % 6) * 1000,
      closedAt: createdAt + 600_000,
      ...(index % 4 === 1
        ? { closedBy: 'visitor', closedById: visitorId }
        : { closedBy: 'operator', closedById: operator.id }),
    });
    if (index % 4 !== 3) {
      const tagIds = [tags[index % 3] ?? 1, ...(index % 8 === 1 ? [tags[3] ?? 1] : [])];
      replaceTags(tx, context, { conversationId: id, tagIds });
    }
    if (index % 3 === 0) await addSatisfaction(tx, context, { operator, conversationId: id, number: index });
  }
}

/** Adds an active chat for an operator. The caller claims the slot. */
export async function addActiveChat(tx: Transaction, context: ActorContext, operator: Operator): Promise<void> {
  const visitorId = 1 + (operator.id % VISITORS.length);
  const createdAt = tx.now - 60_000;
  await addConversation(tx, context, {
    ...buildConversationFields(operator, visitorId),
    operatorId: operator.id,
    channel: 'chat',
    state: 'active',
    createdAt,
    acceptedAt: createdAt + 8000,
    firstAnswerAt: createdAt + 15_000,
  });
}

function collectWebsiteIds(operators: readonly Operator[]): number[] {
  return [...new Set(operators.flatMap(({ websiteList }) => websiteList))].sort((a, b) => a - b);
}

/** `operatorOf` returns the operator of the n-th conversation, counted back from now. */
async function addVisitors(
  tx: Transaction,
  context: ActorContext,
  websites: readonly number[],
  operatorOf: (number: number) => Operator,
): Promise<number[]> {
  const ids: number[] = [];
  for (const [index, [firstname, lastname, city, zip, country]] of VISITORS.entries()) {
    const visitor = await insertVisitor(tx, context, {
      ...{ uniqueId: `demo-visitor-${index + 1}`, firstname, lastname, city, zip, country },
      externalId: index % 3 === 0 ? `customer-${index + 1}` : null,
      address: `${index + 1} Main Street`,
      phone: index % 2 === 0 ? `+3314000${1000 + index}` : '',
      email: `visitor${index + 1}@example.com`,
      browser: index % 2 === 0 ? 'Firefox 140' : 'Chrome 141',
      lastOperatorId: operatorOf(index).id,
      createdAt: tx.now - (CONVERSATION_COUNT - index) * HOUR_MS - 2 * DAY_MS,
    });
    const websiteIds = websites.filter((_, position) => position === 0 || index % (position + 1) === 0);
    await addWebsites(tx, context, visitor, websiteIds);
    ids.push(visitor.id);
  }
  return ids;
}

/** Website, skill and language of a conversation that this operator can handle. */
function buildConversationFields(operator: Operator, visitorId: number) {
  return {
    visitorId,
    websiteId: operator.websiteList[0] ?? 1,
    skillId: operator.skillList[0] ?? null,
    groupId: null,
    language: operator.languageList[0] ?? 'en',
  };
}

async function addConversation(
  tx: Transaction,
  context: ActorContext,
  fields: Omit<NewConversation, 'accountId' | 'id' | 'messageCount'>,
): Promise<number> {
  const { accountId } = context;
  const conversation = newConversation({ accountId, id: await nextId(tx, accountId, 'conversation'), ...fields });
  const messages = buildMessages(conversation);
  insertConversation(tx, context, { ...conversation, messageCount: messages.length });
  for (const message of messages) insertMessage(tx, context, message);
  return conversation.id;
}

async function addAbandonedConversation(
  tx: Transaction,
  context: ActorContext,
  { operator, visitorId, createdAt }: { operator: Operator; visitorId: number; createdAt: number },
): Promise<void> {
  await addConversation(tx, context, {
    ...buildConversationFields(operator, visitorId),
    groupId: operator.groupId,
    operatorId: null,
    channel: 'chat',
    state: 'closed',
    createdAt,
    hasWaited: true,
    closedAt: createdAt + 180_000,
    closedBy: 'visitor',
    closedById: visitorId,
  });
}

async function addSatisfaction(
  tx: Transaction,
  context: ActorContext,
  { operator, conversationId, number }: { operator: Operator; conversationId: number; number: number },
): Promise<void> {
  await insertSatisfaction(tx, context, {
    id: await nextId(tx, context.accountId, 'satisfaction'),
    conversationId,
    websiteId: operator.websiteList[0] ?? 1,
    operatorId: operator.id,
    noteWelcome: 3 + (number % 3),
    noteResolution: 2 + (number % 4),
    noteDelay: 4 + (number % 2),
    comment: number % 12 === 3 ? 'Quick and friendly.' : '',
    createdAt: tx.now - DAY_MS - number * HOUR_MS + 700_000,
  });
}

/** Chats have messages and notices; calls and videos have only notices. */
function buildMessages(conversation: Conversation): NewMessageRow[] {
  const { id, channel, createdAt, firstAnswerAt, operatorId, visitorId } = conversation;
  const common = { conversationId: id, clientId: null };
  const messages: Pick<NewMessageRow, 'authorType' | 'authorId' | 'text' | 'noticeCode' | 'at'>[] = [];
  if (channel === 'chat') {
    const dialogue = DIALOGUES[id % DIALOGUES.length] ?? [];
    const isAnswered = firstAnswerAt !== null;
    for (const [index, text] of (isAnswered ? dialogue : dialogue.slice(0, 1)).entries()) {
      const isVisitor = index % 2 === 0;
      messages.push({
        authorType: isVisitor ? 'visitor' : 'operator',
        authorId: isVisitor ? visitorId : operatorId,
        text,
        at: index === 0 ? createdAt : (firstAnswerAt ?? createdAt) + (index - 1) * 10_000,
      });
    }
  }
  if (id % 9 === 0 && firstAnswerAt !== null) {
    for (const [index, code] of (['operator_away', 'operator_back'] as const).entries()) {
      const at = firstAnswerAt + 45_000 + index * 5000;
      const text = renderNotice({ code, parameters: {} }, 'en') ?? '';
      messages.push({ authorType: 'notice', authorId: null, text, noticeCode: code, at });
    }
  }
  return messages.map((message, index) => ({ ...common, sequence: index + 1, ...message }));
}
