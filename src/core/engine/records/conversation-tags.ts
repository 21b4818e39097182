import type { Transaction } from '../../../storage/database.ts';
import type { ActorContext } from '../../kernel/caller.ts';

/** The tags of a conversation, all of them at once. */
export async function replaceTags(
  tx: Transaction,
  { accountId }: ActorContext,
  { conversationId, tagIds }: { readonly conversationId: number; readonly tagIds: readonly number[] },
): Promise<void> {
  await tx.db
    .deleteFrom('conversationTags')
    .where('accountId', '=', accountId)
    .where('conversationId', '=', conversationId)
    .execute();
  if (tagIds.length === 0) return;
  const rows = tagIds.map((tagId) => ({ accountId, conversationId, tagId }));
  await tx.db.insertInto('conversationTags').values(rows).execute();
}

/** Takes a tag off every conversation. */
export async function removeTag(tx: Transaction, { accountId }: ActorContext, tagId: number): Promise<void> {
  await tx.db.deleteFrom('conversationTags').where('accountId', '=', accountId).where('tagId', '=', tagId).execute();
}
