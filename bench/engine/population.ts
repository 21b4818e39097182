import { digest } from '../../src/core/access/secrets.ts';
import type { Transaction } from '../../src/storage/database.ts';
import { buildOperator, type OperatorProfile } from '../data.ts';
import { insert, type Population } from '../fill.ts';

/** Operators and visitors for the engine benchmarks. Nothing is random, so that runs are comparable. */

/** The id of a skill and of a group that one in ten operators has. */
export const ONE_IN_TEN_ID = 5;
/** The id of a website that one in ten operators works on, the same ones. */
export const ONE_IN_TEN_WEBSITE_ID = 2;
/** A skill and a language that each half of the operators has; a quarter has both. */
export const HALF_SKILL_ID = 11;
export const HALF_LANGUAGE = 'fr';
/** A language that one operator speaks, at every size. */
export const RARE_LANGUAGE = 'eo';
export const VISITOR_COUNT = 1000;
/** The website of all conversations in engine cases. */
export const WEBSITE_ID = 1;

const EXPIRES_AT = Date.UTC(2100, 0, 1);
export const FIRST_ACCOUNT = 1;
const CHAT_CAPACITY = { idle: 50, full: 3 };

/** Tokens are predefined: logging in a thousand operators takes longer than the measurement. */
export function operatorToken(id: number, account = FIRST_ACCOUNT): string {
  return `bench-operator-token-${id}${toSuffix(account)}`;
}
export function visitorToken(id: number, account = FIRST_ACCOUNT): string {
  return `bench-visitor-token-${id}${toSuffix(account)}`;
}

/** Ids are unique in an account, tokens in the installation. */
function toSuffix(account: number): string {
  return account === FIRST_ACCOUNT ? '' : `-of-account-${account}`;
}

/** All operators are connected and have capacity for many chats. */
export const idlePopulation: Population = {
  name: 'engine-idle',
  buildOperator: (size, id) => buildEngineOperator(size, id, CHAT_CAPACITY.idle),
  finish: async (tx, accountId, size) => {
    await addTokens(tx, accountId, size);
    await addVisitors(tx, accountId, VISITOR_COUNT);
  },
};

/** All operators are connected and at their chat capacity; `waiting` more conversations are queued. */
export function createFullPopulation(waiting: number): Population {
  return {
    name: `engine-full-${waiting}`,
    buildOperator: (size, id) => buildEngineOperator(size, id, CHAT_CAPACITY.full),
    finish: async (tx, accountId, size) => {
      const running = (size - 1) * CHAT_CAPACITY.full;
      await addTokens(tx, accountId, size);
      await addVisitors(tx, accountId, running + waiting);
      await addConversations(tx, accountId, running, waiting);
    },
  };
}

/** All speak English and work on the first website, so that all are eligible unless a conversation needs more. */
function buildEngineOperator(size: number, id: number, chatMaxNumber: number): OperatorProfile {
  return {
    ...buildOperator(1000, id),
    groupId: 1 + (id % 10),
    websites: id % 10 === ONE_IN_TEN_ID - 1 ? [WEBSITE_ID, ONE_IN_TEN_WEBSITE_ID] : [WEBSITE_ID],
    skills: [1 + (id % 10), ...(id % 20 < 10 ? [HALF_SKILL_ID] : [])],
    languages: ['en', ...(id % 40 < 20 ? [HALF_LANGUAGE] : []), ...(id === size ? [RARE_LANGUAGE] : [])],
    chatMaxNumber,
    isConnected: true,
  };
}

async function addTokens(tx: Transaction, accountId: number, size: number): Promise<void> {
  const ids = Array.from({ length: size - 1 }, (_, index) => index + 2);
  await insert(tx, 'accessTokens', ids, (operatorId) => ({
    tokenHash: digest(operatorToken(operatorId, accountId)),
    accountId,
    operatorId,
    issuedAt: tx.now,
    expiresAt: EXPIRES_AT,
  }));
}

async function addVisitors(tx: Transaction, accountId: number, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  await insert(tx, 'visitors', ids, (id) => ({
    ...{ accountId, id, uniqueId: `bench-${id}`, externalId: null, externalIdFolded: null },
    ...{ lastname: '', firstname: '', address: '', city: '', zip: '', country: '', phone: '', email: '', browser: '' },
    ...{ websiteList: `[${WEBSITE_ID}]`, lastOperatorId: null, createdAt: tx.now, erasedAt: null },
  }));
  await insert(tx, 'visitorWebsites', ids, (visitorId) => ({ accountId, websiteId: WEBSITE_ID, visitorId }));
  await insert(tx, 'visitorTokens', ids, (visitorId) => ({
    tokenHash: digest(visitorToken(visitorId, accountId)),
    ...{ accountId, visitorId, websiteId: WEBSITE_ID, language: 'en', issuedAt: tx.now, expiresAt: EXPIRES_AT },
  }));
  await setCounter(tx, accountId, 'visitor', count);
}

/** Visitor n has conversation n: first the active ones, three per operator, then the queued ones. */
async function addConversations(tx: Transaction, accountId: number, running: number, waiting: number): Promise<void> {
  const ids = Array.from({ length: running + waiting }, (_, index) => index + 1);
  const start = tx.now - ids.length;
  await insert(tx, 'conversations', ids, (id) => ({
    ...{ accountId, id, visitorId: id, channel: 'chat' as const, websiteId: WEBSITE_ID },
    ...{ language: 'en', createdAt: start + id, queueOrder: start + id, hasWaited: Number(id > running) },
    ...{ messageCount: 0, firstAnswerAt: null, closedAt: null, closedBy: null, closedById: null },
    ...(id > running
      ? { state: 'queued' as const, operatorId: null, offeredAt: null, acceptedAt: null }
      : { state: 'active' as const, operatorId: operatorOf(id), offeredAt: start + id, acceptedAt: start + id }),
    ...{ offerUntil: null, escalatedFromId: null },
  }));
  await setCounter(tx, accountId, 'conversation', ids.length);
  await tx.db.updateTable('operatorLive').set({ chatSlots: CHAT_CAPACITY.full }).where('operatorId', '>', 1).execute();
  await tx.db.updateTable('accounts').set({ queueLimit: 100_000 }).where('id', '=', accountId).execute();
}

/** The operator of a prepared active conversation. */
export function operatorOf(conversationId: number): number {
  return 2 + Math.floor((conversationId - 1) / CHAT_CAPACITY.full);
}

async function setCounter(tx: Transaction, accountId: number, name: string, value: number): Promise<void> {
  await tx.db
    .insertInto('counters')
    .values({ accountId, name, value })
    .onConflict((conflict) => conflict.columns(['accountId', 'name']).doUpdateSet({ value }))
    .execute();
}
