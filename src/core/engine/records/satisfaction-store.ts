import type { Selectable } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import type { Tables } from '../../../storage/tables.ts';
import type { ActorContext } from '../../kernel/caller.ts';
import { selectConversationIds } from './conversation-store.ts';

/** A visitor's survey answers about a conversation: three ratings from 1 to 5, and a comment. */
export type Satisfaction = Omit<Selectable<Tables['satisfactions']>, 'accountId'>;

const insert = prepare<Selectable<Tables['satisfactions']>, { id: number }>((db, row) =>
  db
    .insertInto('satisfactions')
    .values(row)
    .onConflict((conflict) => conflict.columns(['accountId', 'conversationId']).doNothing())
    .returning('id'),
);

/** Returns false if the conversation already has one. */
export async function insertSatisfaction(
  tx: Transaction,
  { accountId }: ActorContext,
  satisfaction: Satisfaction,
): Promise<boolean> {
  return (await tx.run(insert, { accountId, ...satisfaction })).length > 0;
}

/** Erases a visitor's comments; the ratings stay. */
export async function eraseComments(tx: Transaction, context: ActorContext, visitorId: number): Promise<void> {
  await tx.db
    .updateTable('satisfactions')
    .set({ comment: '' })
    .where('accountId', '=', context.accountId)
    .where('conversationId', 'in', selectConversationIds(tx, context, visitorId))
    .execute();
}
