import type { Selectable } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import type { Tables } from '../../../storage/tables.ts';
import { announce } from '../../events/announce.ts';
import type { AccountContext, ActorContext } from '../../kernel/caller.ts';
import { unknownId } from '../../kernel/errors.ts';
import { reviewVisitors } from './visitor-store.ts';

/** A message that a visitor left for later, outside any conversation. */
export type MessageLeft = Selectable<Tables['messagesLeft']>;

export async function insertMessageLeft(tx: Transaction, context: ActorContext, message: MessageLeft): Promise<void> {
  await tx.db.insertInto('messagesLeft').values(message).execute();
  const { id, websiteId, visitorId } = message;
  announce(tx, context, 'message_left.created', id, {
    fields: ['websiteId', 'visitorId', 'name', 'email', 'text', 'page'],
    values: { websiteId, visitorId },
  });
}

export async function requireMessageLeft(
  { db }: Pick<Transaction, 'db'>,
  { accountId }: AccountContext,
  id: number,
): Promise<MessageLeft> {
  const row = await db
    .selectFrom('messagesLeft')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw unknownId('message left', id);
  return row;
}

/** Changes who takes care of it, or whether it is done. */
export async function updateMessageLeft(
  tx: Transaction,
  context: ActorContext,
  message: MessageLeft,
  changes: Partial<Pick<MessageLeft, 'operatorId' | 'doneAt' | 'doneBy'>>,
): Promise<MessageLeft> {
  const { accountId, id, websiteId } = message;
  const changed = { ...message, ...changes };
  await tx.db
    .updateTable('messagesLeft')
    .set(changes)
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute();
  const { operatorId, doneAt } = changed;
  announce(tx, context, 'message_left.updated', id, {
    fields: Object.keys(changes),
    values: { websiteId, operatorId, doneAt },
  });
  return changed;
}

/** Makes the open messages of an operator who is about to be deleted available to others. */
export async function unassignMessagesLeft(tx: Transaction, context: ActorContext, operatorId: number): Promise<void> {
  const rows = await tx.db
    .selectFrom('messagesLeft')
    .selectAll()
    .where('accountId', '=', context.accountId)
    .where('operatorId', '=', operatorId)
    .where('doneAt', 'is', null)
    .execute();
  for (const row of rows) await updateMessageLeft(tx, context, row, { operatorId: null });
}

/** Gives the messages of a visitor to another one, who is the same person. */
export async function moveMessagesLeft(
  tx: Transaction,
  { accountId }: AccountContext,
  fromVisitorId: number,
  toVisitorId: number,
): Promise<void> {
  await tx.db
    .updateTable('messagesLeft')
    .set({ visitorId: toVisitorId })
    .where('accountId', '=', accountId)
    .where('visitorId', '=', fromVisitorId)
    .execute();
}

export async function deleteMessagesLeftOf(tx: Transaction, context: ActorContext, visitorId: number): Promise<void> {
  const rows = await tx.db
    .deleteFrom('messagesLeft')
    .where('accountId', '=', context.accountId)
    .where('visitorId', '=', visitorId)
    .returning(['id', 'websiteId'])
    .execute();
  announceDeletions(tx, context, rows);
}

/**
 * Deletes messages that were done before this time. Returns how many, at most `limit`. Their visitors were kept because of
 * them.
 */
export async function deleteOldMessagesLeft(
  tx: Transaction,
  context: ActorContext,
  { doneBefore, limit }: { readonly doneBefore: number; readonly limit: number },
): Promise<number> {
  const rows = await tx.db
    .deleteFrom('messagesLeft')
    .where('accountId', '=', context.accountId)
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('messagesLeft')
        .select('id')
        .where('accountId', '=', context.accountId)
        .where('doneAt', '<', doneBefore)
        .limit(limit),
    )
    .returning(['id', 'websiteId', 'visitorId'])
    .execute();
  const visitorIds = rows.map(({ visitorId }) => visitorId).filter((id) => id !== null);
  await reviewVisitors(tx, context, [...new Set(visitorIds)]);
  announceDeletions(tx, context, rows);
  return rows.length;
}

function announceDeletions(
  tx: Transaction,
  context: ActorContext,
  rows: readonly Pick<MessageLeft, 'id' | 'websiteId'>[],
): void {
  for (const { id, websiteId } of rows.toSorted((a, b) => a.id - b.id))
    announce(tx, context, 'message_left.deleted', id, { fields: [], values: { websiteId } });
}
