import { digest } from '../../src/core/access/secrets.ts';
import type { Transaction } from '../../src/storage/database.ts';
import { type Person, personAt } from '../data.ts';
import { insert, type Population } from '../fill.ts';

/** Operators and visitors for the engine. Nothing is random, so that every run measures the same. */

/** Those of whom one in ten has the skill, and one in ten the group. */
export const ONE_IN_TEN = 5;
/** A language that one operator speaks, whatever the size. */
export const RARE_LANGUAGE = 'eo';
export const VISITORS = 1000;
/** Of the visitors' conversations in all engine cases. */
export const WEBSITE = 1;

const FOREVER = Date.UTC(2100, 0, 1);
const CHATS = { roomy: 50, full: 3 };

/** Tokens are known beforehand: to log in a thousand operators takes longer than what is measured. */
export function operatorToken(id: number): string {
  return `bench-operator-token-${id}`;
}
export function visitorToken(id: number): string {
  return `bench-visitor-token-${id}`;
}

/** Everybody is connected and free, with room for many chats. */
export const roomy: Population = {
  name: 'engine-roomy',
  personAt: (size, id) => engineer(size, id, CHATS.roomy),
  finish: async (tx, accountId, size) => {
    await addTokens(tx, accountId, size);
    await addVisitors(tx, accountId, VISITORS);
  },
};

/** Everybody is connected and has as many chats as they can, and so many more wait. */
export function crowded(waiting: number): Population {
  return {
    name: `engine-crowded-${waiting}`,
    personAt: (size, id) => engineer(size, id, CHATS.full),
    finish: async (tx, accountId, size) => {
      const running = (size - 1) * CHATS.full;
      await addTokens(tx, accountId, size);
      await addVisitors(tx, accountId, running + waiting);
      await addConversations(tx, accountId, running, waiting);
    },
  };
}

/** All speak English and work on the first website, so that everybody is eligible unless more is asked for. */
function engineer(size: number, id: number, chatMaxNumber: number): Person {
  return {
    ...personAt(1000, id),
    groupId: 1 + (id % 10),
    websites: [WEBSITE],
    skills: [1 + (id % 10)],
    languages: id === size ? ['en', RARE_LANGUAGE] : ['en'],
    chatMaxNumber,
    connected: true,
  };
}

async function addTokens(tx: Transaction, accountId: number, size: number): Promise<void> {
  const ids = Array.from({ length: size - 1 }, (_, index) => index + 2);
  await insert(tx, 'accessTokens', ids, (operatorId) => ({
    tokenHash: digest(operatorToken(operatorId)),
    accountId,
    operatorId,
    issuedAt: tx.now,
    expiresAt: FOREVER,
  }));
}

async function addVisitors(tx: Transaction, accountId: number, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  await insert(tx, 'visitors', ids, (id) => ({
    ...{ accountId, id, uniqueId: `bench-${id}`, externalId: null, externalIdFolded: null },
    ...{ lastname: '', firstname: '', address: '', city: '', zip: '', country: '', phone: '', email: '', browser: '' },
    ...{ websiteList: `[${WEBSITE}]`, lastOperatorId: null, createdAt: tx.now, erasedAt: null },
  }));
  await insert(tx, 'visitorWebsites', ids, (visitorId) => ({ accountId, websiteId: WEBSITE, visitorId }));
  await insert(tx, 'visitorTokens', ids, (visitorId) => ({
    tokenHash: digest(visitorToken(visitorId)),
    ...{ accountId, visitorId, websiteId: WEBSITE, language: 'en', issuedAt: tx.now, expiresAt: FOREVER },
  }));
  await setCounter(tx, accountId, 'visitor', count);
}

/** Visitor n has conversation n: first those that run, three with each operator, then those that wait. */
async function addConversations(tx: Transaction, accountId: number, running: number, waiting: number): Promise<void> {
  const ids = Array.from({ length: running + waiting }, (_, index) => index + 1);
  const start = tx.now - ids.length;
  await insert(tx, 'conversations', ids, (id) => ({
    ...{ accountId, id, visitorId: id, channel: 'chat' as const, websiteId: WEBSITE },
    ...{ language: 'en', createdAt: start + id, queueOrder: start + id, hasWaited: Number(id > running) },
    ...{ messageCount: 0, firstAnswerAt: null, closedAt: null, closedBy: null, closedById: null },
    ...(id > running
      ? { state: 'queued' as const, operatorId: null, offeredAt: null, acceptedAt: null }
      : { state: 'active' as const, operatorId: operatorOf(id), offeredAt: start + id, acceptedAt: start + id }),
    ...{ offerUntil: null, escalatedFromId: null },
  }));
  await setCounter(tx, accountId, 'conversation', ids.length);
  await tx.db.updateTable('operatorLive').set({ chatSlots: CHATS.full }).where('operatorId', '>', 1).execute();
  await tx.db.updateTable('accounts').set({ queueLimit: 100_000 }).where('id', '=', accountId).execute();
}

/** Whose a running conversation is at the beginning. */
export function operatorOf(conversationId: number): number {
  return 2 + Math.floor((conversationId - 1) / CHATS.full);
}

async function setCounter(tx: Transaction, accountId: number, name: string, value: number): Promise<void> {
  await tx.db
    .insertInto('counters')
    .values({ accountId, name, value })
    .onConflict((conflict) => conflict.columns(['accountId', 'name']).doUpdateSet({ value }))
    .execute();
}
