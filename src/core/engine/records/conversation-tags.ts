import type { Selectable } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import type { Tables } from '../../../storage/tables.ts';
import type { ActorContext } from '../../kernel/caller.ts';

type Tagging = Selectable<Tables['conversationTags']>;

const insert = prepare<Tagging>((db, row) => db.insertInto('conversationTags').values(row));
const deleteAll = prepare<Omit<Tagging, 'tagId'>>((db, { accountId, conversationId }) =>
  db.deleteFrom('conversationTags').where('accountId', '=', accountId).where('conversationId', '=', conversationId),
);

/** Replaces all tags of a conversation. */
export function replaceTags(
  tx: Transaction,
  { accountId }: ActorContext,
  { conversationId, tagIds }: { readonly conversationId: number; readonly tagIds: readonly number[] },
): void {
  tx.send(deleteAll, { accountId, conversationId });
  for (const tagId of tagIds) tx.send(insert, { accountId, conversationId, tagId });
}

/** Removes a tag from every conversation. */
export async function removeTag(tx: Transaction, { accountId }: ActorContext, tagId: number): Promise<void> {
  await tx.db.deleteFrom('conversationTags').where('accountId', '=', accountId).where('tagId', '=', tagId).execute();
}
