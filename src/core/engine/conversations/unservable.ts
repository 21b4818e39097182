import { sql } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { type ActorContext, systemContext } from '../../kernel/caller.ts';
import type { Conversation } from '../records/conversation.ts';
import { requireConversation } from '../records/conversation-store.ts';
import { isServable } from '../routing/needs.ts';
import { closeConversation } from './conversation-service.ts';

/** Bounds the transaction; the next sweep ends the others. */
const MAX_ENDED = 100;

type Need = Pick<Conversation, 'channel' | 'websiteId' | 'skillId' | 'groupId' | 'language'>;

/** What an operator could serve before a change. */
export interface FormerCoverage {
  readonly websiteList: readonly number[];
  readonly languageList: readonly string[];
}

/**
 * Ends waiting conversations that no operator, connected or not, can serve any more. Each need is checked once, however
 * many visitors have it; with a former coverage, only needs within it. Returns how many were ended.
 */
export async function endUnservable(
  tx: Transaction,
  { accountId }: ActorContext,
  coverage?: FormerCoverage,
): Promise<number> {
  let ended = 0;
  for (const need of await findNeeds(tx, accountId, coverage)) {
    if (ended >= MAX_ENDED) break;
    if (await isServable(tx, { accountId, ...need })) continue;
    const ids = await findWaiting(tx, accountId, need, MAX_ENDED - ended);
    for (const id of ids) {
      const conversation = await requireConversation(tx, accountId, id);
      await closeConversation(tx, systemContext(accountId), conversation, { closeReason: 'nobody_could_serve' });
    }
    ended += ids.length;
  }
  return ended;
}

async function findNeeds(tx: Transaction, accountId: number, coverage: FormerCoverage | undefined): Promise<Need[]> {
  if (coverage && (coverage.websiteList.length === 0 || coverage.languageList.length === 0)) return [];
  let query = tx.db
    .selectFrom('conversations')
    .select(['channel', 'websiteId', 'skillId', 'groupId', 'language'])
    .where('accountId', '=', accountId)
    .where('state', '=', sql.lit('queued'))
    .groupBy(['channel', 'websiteId', 'skillId', 'groupId', 'language']);
  if (coverage) {
    query = query.where('websiteId', 'in', coverage.websiteList).where('language', 'in', coverage.languageList);
  }
  return query.execute();
}

async function findWaiting(tx: Transaction, accountId: number, need: Need, limit: number): Promise<number[]> {
  const rows = await tx.db
    .selectFrom('conversations')
    .select('id')
    .where('accountId', '=', accountId)
    .where('state', '=', sql.lit('queued'))
    .where('channel', '=', need.channel)
    .where('websiteId', '=', need.websiteId)
    .where('skillId', need.skillId === null ? 'is' : '=', need.skillId)
    .where('groupId', need.groupId === null ? 'is' : '=', need.groupId)
    .where('language', '=', need.language)
    .orderBy('queueOrder')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
