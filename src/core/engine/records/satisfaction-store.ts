import type { Selectable } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import type { Tables } from '../../../storage/tables.ts';
import type { ActorContext } from '../../kernel/caller.ts';
import { conversationIdsOf } from './conversation-store.ts';

/** What a visitor thought of a conversation: three notes from 1 to 5, and words. */
export type Satisfaction = Omit<Selectable<Tables['satisfactions']>, 'accountId'>;

const insert = prepare<Selectable<Tables['satisfactions']>, { id: number }>((db, row) =>
  db
    .insertInto('satisfactions')
    .values(row)
    .onConflict((conflict) => conflict.columns(['accountId', 'conversationId']).doNothing())
    .returning('id'),
);

/** Stores the answer to a survey; false when there is one for the conversation already. */
export async function insertSatisfaction(
  tx: Transaction,
  { accountId }: ActorContext,
  satisfaction: Satisfaction,
): Promise<boolean> {
  return (await tx.run(insert, { accountId, ...satisfaction })).length > 0;
}

/** The notes of a visitor stay, their words go. */
export async function eraseComments(tx: Transaction, context: ActorContext, visitorId: number): Promise<void> {
  await tx.db
    .updateTable('satisfactions')
    .set({ comment: '' })
    .where('accountId', '=', context.accountId)
    .where('conversationId', 'in', conversationIdsOf(tx, context, visitorId))
    .execute();
}
