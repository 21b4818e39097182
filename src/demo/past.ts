import type { Insertable } from 'kysely';
import { NOTICES } from '../core/engine/records/message-store.ts';
import type { Channel } from '../core/kernel/channels.ts';
import { nextId } from '../core/kernel/ids.ts';
import { fold } from '../core/kernel/text.ts';
import type { Operator } from '../core/operators/operator.ts';
import type { Transaction } from '../storage/database.ts';
import type { Tables } from '../storage/tables.ts';
import { DIALOGUES, VISITORS } from './visitors.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CONVERSATIONS = 400;
/** Every so many there is one that nobody took in time. */
const ABANDONED_EACH = 10;
const AT_ONCE = 100;

type Conversation = Insertable<Tables['conversations']>;
type Message = Insertable<Tables['messages']>;

/** What is written at the end, many rows with one statement. */
interface Rows {
  readonly conversations: Conversation[];
  readonly messages: Message[];
  readonly satisfactions: Insertable<Tables['satisfactions']>[];
  readonly conversationTags: Insertable<Tables['conversationTags']>[];
}

export interface Past {
  readonly accountId: number;
  readonly operators: readonly Operator[];
  readonly tags: readonly number[];
}

/** Visitors, and what they talked about in the last weeks: the newest conversation has the highest number. */
export async function addPast(tx: Transaction, past: Past): Promise<void> {
  const { accountId, operators, tags } = past;
  const operatorOf = (number: number) => operators[(number * 7) % operators.length] as Operator;
  const visitors = await addVisitors(tx, accountId, websitesOf(operators), operatorOf);
  const rows: Rows = { conversations: [], messages: [], satisfactions: [], conversationTags: [] };
  for (let number = CONVERSATIONS - 1; number >= 0; number--) {
    const operator = operatorOf(number);
    const createdAt = tx.now - DAY_MS - number * HOUR_MS;
    const visitorId = visitors[number % visitors.length] as number;
    if (number % ABANDONED_EACH === 0) {
      await addAbandoned(tx, rows, { accountId, operator, visitorId, createdAt: createdAt - HOUR_MS / 2 });
    }
    const channel = (['chat', 'chat', 'call', 'video'] as const)[number % 4] as Channel;
    const waited = number % 5 === 2 ? 90_000 : 8000;
    const id = await addConversation(tx, rows, {
      ...whose(accountId, operator, visitorId),
      operatorId: operator.id,
      channel,
      state: 'closed',
      createdAt,
      hasWaited: waited > HOUR_MS / 60 ? 1 : 0,
      offeredAt: createdAt + waited - 4000,
      acceptedAt: createdAt + waited,
      firstAnswerAt: createdAt + waited + 7000 + (number % 6) * 1000,
      closedAt: createdAt + 600_000,
      ...(number % 4 === 1
        ? { closedBy: 'visitor', closedById: visitorId }
        : { closedBy: 'operator', closedById: operator.id }),
    });
    if (number % 4 !== 3) rows.conversationTags.push({ accountId, conversationId: id, tagId: tags[number % 3] ?? 1 });
    if (number % 8 === 1) rows.conversationTags.push({ accountId, conversationId: id, tagId: tags[3] ?? 1 });
    if (number % 3 === 0) await addSatisfaction(tx, rows, { accountId, operator, conversationId: id, number });
  }
  await write(tx, rows);
}

/** A chat that runs at this moment, for an operator whose slot it takes. */
export async function addRunningChat(tx: Transaction, accountId: number, operator: Operator): Promise<void> {
  const rows: Rows = { conversations: [], messages: [], satisfactions: [], conversationTags: [] };
  const visitorId = 1 + (operator.id % VISITORS.length);
  const createdAt = tx.now - 60_000;
  await addConversation(tx, rows, {
    ...whose(accountId, operator, visitorId),
    operatorId: operator.id,
    channel: 'chat',
    state: 'active',
    createdAt,
    acceptedAt: createdAt + 8000,
    firstAnswerAt: createdAt + 15_000,
  });
  await write(tx, rows);
}

function websitesOf(operators: readonly Operator[]): number[] {
  return [...new Set(operators.flatMap(({ websiteList }) => websiteList))].sort((a, b) => a - b);
}

/** The n-th visitor has every n-th conversation, counted back from now; `operatorOf` tells who served it. */
async function addVisitors(
  tx: Transaction,
  accountId: number,
  websites: readonly number[],
  operatorOf: (number: number) => Operator,
): Promise<number[]> {
  const ids: number[] = [];
  for (const [index, [firstname, lastname, city, zip, country]] of VISITORS.entries()) {
    const id = await nextId(tx, accountId, 'visitor');
    const externalId = index % 3 === 0 ? `customer-${index + 1}` : null;
    const websiteList = websites.filter((_, place) => place === 0 || index % (place + 1) === 0);
    await tx.db
      .insertInto('visitors')
      .values({
        ...{ accountId, id, uniqueId: `demo-visitor-${index + 1}`, firstname, lastname, city, zip, country },
        externalId,
        externalIdFolded: externalId === null ? null : fold(externalId),
        address: `${index + 1} Main Street`,
        phone: index % 2 === 0 ? `+3314000${1000 + index}` : '',
        email: `visitor${index + 1}@example.com`,
        browser: index % 2 === 0 ? 'Firefox 140' : 'Chrome 141',
        websiteList: JSON.stringify(websiteList),
        lastOperatorId: operatorOf(index).id,
        createdAt: tx.now - (CONVERSATIONS - index) * HOUR_MS - 2 * DAY_MS,
      })
      .execute();
    await tx.db
      .insertInto('visitorWebsites')
      .values(websiteList.map((websiteId) => ({ accountId, websiteId, visitorId: id })))
      .execute();
    ids.push(id);
  }
  return ids;
}

/** The website, skill and language of somebody whom this operator can serve. */
function whose(accountId: number, operator: Operator, visitorId: number) {
  return {
    accountId,
    visitorId,
    websiteId: operator.websiteList[0] ?? 1,
    skillId: operator.skillList[0] ?? null,
    groupId: null,
    language: operator.languageList[0] ?? 'en',
  };
}

async function addConversation(
  tx: Transaction,
  rows: Rows,
  conversation: Omit<Conversation, 'id' | 'queueOrder' | 'messageCount'>,
): Promise<number> {
  const { accountId, createdAt } = conversation;
  const id = await nextId(tx, accountId, 'conversation');
  const messages = messagesOf({ ...conversation, id });
  rows.messages.push(...messages);
  rows.conversations.push({ ...conversation, id, queueOrder: createdAt, messageCount: messages.length });
  return id;
}

async function addAbandoned(
  tx: Transaction,
  rows: Rows,
  {
    accountId,
    operator,
    visitorId,
    createdAt,
  }: { accountId: number; operator: Operator; visitorId: number; createdAt: number },
): Promise<void> {
  await addConversation(tx, rows, {
    ...whose(accountId, operator, visitorId),
    groupId: operator.groupId,
    operatorId: null,
    channel: 'chat',
    state: 'closed',
    createdAt,
    hasWaited: 1,
    closedAt: createdAt + 180_000,
    closedBy: 'visitor',
    closedById: visitorId,
  });
}

async function addSatisfaction(
  tx: Transaction,
  rows: Rows,
  about: { accountId: number; operator: Operator; conversationId: number; number: number },
): Promise<void> {
  const { accountId, operator, conversationId, number } = about;
  rows.satisfactions.push({
    accountId,
    id: await nextId(tx, accountId, 'satisfaction'),
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

/** Chats have words; of calls and videos only what the service noticed is kept. */
function messagesOf(conversation: Omit<Conversation, 'messageCount'> & { readonly id: number }): Message[] {
  const { accountId, id, channel, createdAt, firstAnswerAt, operatorId = null, visitorId = null } = conversation;
  const common = { accountId, conversationId: id, clientId: null };
  const said: Omit<Message, keyof typeof common | 'sequence'>[] = [];
  if (channel === 'chat') {
    const dialogue = DIALOGUES[id % DIALOGUES.length] ?? [];
    const answered = typeof firstAnswerAt === 'number';
    for (const [index, text] of (answered ? dialogue : dialogue.slice(0, 1)).entries()) {
      const isVisitor = index % 2 === 0;
      said.push({
        authorType: isVisitor ? 'visitor' : 'operator',
        authorId: isVisitor ? visitorId : operatorId,
        text,
        at: index === 0 ? createdAt : (firstAnswerAt ?? createdAt) + (index - 1) * 10_000,
      });
    }
  }
  if (id % 9 === 0 && typeof firstAnswerAt === 'number') {
    for (const [index, text] of [NOTICES.operatorAway, NOTICES.operatorBack].entries()) {
      said.push({ authorType: 'notice', authorId: null, text, at: firstAnswerAt + 45_000 + index * 5000 });
    }
  }
  return said.map((message, index) => ({ ...common, sequence: index + 1, ...message }));
}

async function write(tx: Transaction, rows: Rows): Promise<void> {
  for (const [table, list] of Object.entries(rows)) {
    for (let start = 0; start < list.length; start += AT_ONCE) {
      await tx.db
        .insertInto(table as keyof Rows)
        .values(list.slice(start, start + AT_ONCE))
        .execute();
    }
  }
}
