import type { Transaction } from '../../../storage/database.ts';
import { NO_FACTS, prepare } from '../../../storage/prepared-statement.ts';
import type { ActorContext } from '../../kernel/caller.ts';

/** An operator who declined, missed or transferred a conversation is not offered it again for this long. */
export const OFFER_PAUSE_MS = 60_000;

const upsertPause = prepare<{ accountId: number; conversationId: number; operatorId: number; until: number }>(
  (db, row) =>
    db
      .insertInto('offerPauses')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(['accountId', 'conversationId', 'operatorId']).doUpdateSet({ until: row.until }),
      ),
);
const deleteByConversation = prepare<{ accountId: number; conversationId: number }>(
  (db, { accountId, conversationId }) =>
    db.deleteFrom('offerPauses').where('accountId', '=', accountId).where('conversationId', '=', conversationId),
  { writes: NO_FACTS }, // only fewer pauses have ended
);

/** Stops offering this conversation to the operator for a while. */
export function pauseOffers(
  tx: Transaction,
  { accountId }: ActorContext,
  { conversationId, operatorId }: { readonly conversationId: number; readonly operatorId: number },
): void {
  tx.send(upsertPause, { accountId, conversationId, operatorId, until: tx.now + OFFER_PAUSE_MS });
}

/** Deletes the pauses of a conversation that will not be offered again. */
export function deletePauses(tx: Transaction, { accountId }: ActorContext, conversationId: number): void {
  tx.send(deleteByConversation, { accountId, conversationId });
}

const deleteEnded = prepare<{ accountId: number; operatorId: number }, { conversationId: number }>(
  (db, { accountId, operatorId }) =>
    db
      .deleteFrom('offerPauses')
      .where('accountId', '=', accountId)
      .where('operatorId', '=', operatorId)
      .where('until', '<=', (eb) => eb.fn<number>('now_ms', []))
      .returning('conversationId'),
);
const findEnded = prepare<{ accountId: number }, { operatorId: number }>(
  (db, { accountId }) =>
    db
      .selectFrom('offerPauses')
      .select('operatorId')
      .distinct()
      .where('accountId', '=', accountId)
      .where('until', '<=', (eb) => eb.fn<number>('now_ms', []))
      .orderBy('operatorId'),
  { reads: NO_FACTS },
);

/** Deletes the operator's ended pauses. Returns whether there were any. */
export async function deleteEndedPauses(
  tx: Transaction,
  { accountId }: ActorContext,
  operatorId: number,
): Promise<boolean> {
  return (await tx.run(deleteEnded, { accountId, operatorId })).length > 0;
}

/** Finds operators whose ended pauses are still stored, or were until a conversation of them was closed. */
export async function findOperatorsWithEndedPauses(tx: Transaction, accountId: number): Promise<number[]> {
  return (await tx.run(findEnded, { accountId })).map(({ operatorId }) => operatorId);
}
