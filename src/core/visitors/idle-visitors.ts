import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database, Transaction } from '../../storage/database.ts';
import { deleteContext } from '../engine/records/visitor-context-store.ts';
import { forgetPresence } from '../engine/records/visitor-presence-store.ts';
import { deleteVisitors, keepVisitors, recordVisit } from '../engine/records/visitor-store.ts';
import type { AccountContext } from '../kernel/caller.ts';

/** Small, because the account's other changes wait for a batch. */
const BATCH_ROWS = 25;
const PAUSE_MS = 10;

/** A condition on `visitors`, as its index has it: rows of the previous version have only `created_at`. */
const isIdle = (retentionMs: number) =>
  sql<boolean>`is_kept = 0 and coalesce(last_seen_at, created_at) < now_ms() - ${retentionMs}`;

/**
 * Deletes visitors without a conversation who have not opened or renewed a session for this long, until none is left or
 * the signal aborts. In the account's transaction, as sessions and conversations: none can begin meanwhile.
 */
export async function deleteIdleVisitors(database: Database, retentionMs: number, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) {
    const [first] = await selectIdle(database.read, retentionMs).limit(1).execute();
    if (!first) return;
    const { accountId } = first;
    await database.transaction((tx) => deleteBatch(tx, { accountId }, retentionMs), accountId);
    await setTimeout(PAUSE_MS);
  }
}

function selectIdle(db: Database['read'], retentionMs: number) {
  return db
    .selectFrom('visitors')
    .select(['accountId', 'id'])
    .where(isIdle(retentionMs))
    .orderBy(sql`coalesce(last_seen_at, created_at)`);
}

async function deleteBatch(tx: Transaction, context: AccountContext, retentionMs: number): Promise<void> {
  const { accountId } = context;
  const rows = await selectIdle(tx.db, retentionMs).where('accountId', '=', accountId).limit(BATCH_ROWS).execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return;
  const conversations = await tx.db
    .selectFrom('conversations')
    .select('visitorId')
    .distinct()
    .where('accountId', '=', accountId)
    .where('visitorId', 'in', ids)
    .execute();
  const messages = await tx.db
    .selectFrom('messagesLeft')
    .select('visitorId')
    .distinct()
    .where('accountId', '=', accountId)
    .where('visitorId', 'in', ids)
    .execute();
  const sessions = await tx.db
    .selectFrom('visitorTokens')
    .select('visitorId')
    .distinct()
    .where('accountId', '=', accountId)
    .where('visitorId', 'in', ids)
    .where('expiresAt', '>', tx.now)
    .execute();
  // Without the visitor, what they left could not be erased on request.
  const kept = new Set([...conversations, ...messages].map(({ visitorId }) => visitorId));
  // A node of the previous version opens sessions without recording the visit.
  const present = new Set(sessions.map(({ visitorId }) => visitorId).filter((id) => !kept.has(id)));
  await keepVisitors(
    tx,
    context,
    ids.filter((id) => kept.has(id)),
  );
  for (const id of present) await recordVisit(tx, context, id);
  const idle = ids.filter((id) => !kept.has(id) && !present.has(id));
  for (const id of idle) {
    await deleteContext(tx, context, id);
    await forgetPresence(tx, { accountId, visitorId: id });
  }
  await deleteVisitors(tx, context, idle);
}
