import type { Transaction } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import type { ActorContext } from '../../kernel/caller.ts';

/** Who declined or missed an offer is not offered the same conversation again for so long. */
export const PAUSE_MS = 60_000;

const pause = prepare<{ accountId: number; conversationId: number; operatorId: number; until: number }>((db, row) =>
  db
    .insertInto('offerPauses')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['accountId', 'conversationId', 'operatorId']).doUpdateSet({ until: row.until }),
    ),
);
const remove = prepare<{ accountId: number; conversationId: number }>((db, { accountId, conversationId }) =>
  db.deleteFrom('offerPauses').where('accountId', '=', accountId).where('conversationId', '=', conversationId),
);

/** From now on the operator is not asked for this conversation. */
export function pauseOffers(
  tx: Transaction,
  { accountId }: ActorContext,
  { conversationId, operatorId }: { readonly conversationId: number; readonly operatorId: number },
): void {
  tx.send(pause, { accountId, conversationId, operatorId, until: tx.now + PAUSE_MS });
}

/** For a conversation that is no longer offered. */
export function removePauses(tx: Transaction, { accountId }: ActorContext, conversationId: number): void {
  tx.send(remove, { accountId, conversationId });
}

const removeEnded = prepare<{ accountId: number; operatorId: number }, { conversationId: number }>(
  (db, { accountId, operatorId }) =>
    db
      .deleteFrom('offerPauses')
      .where('accountId', '=', accountId)
      .where('operatorId', '=', operatorId)
      .where('until', '<=', (eb) => eb.fn<number>('now_ms', []))
      .returning('conversationId'),
);
const findEnded = prepare<{ accountId: number }, { operatorId: number }>((db, { accountId }) =>
  db
    .selectFrom('offerPauses')
    .select('operatorId')
    .distinct()
    .where('accountId', '=', accountId)
    .where('until', '<=', (eb) => eb.fn<number>('now_ms', []))
    .orderBy('operatorId'),
);

/** Ends the pauses of an operator that are over; answers whether there were any. */
export async function removeEndedPauses(
  tx: Transaction,
  { accountId }: ActorContext,
  operatorId: number,
): Promise<boolean> {
  return (await tx.run(removeEnded, { accountId, operatorId })).length > 0;
}

/** Operators whose pauses have ended and are still stored. */
export async function endedPauses(tx: Transaction, accountId: number): Promise<number[]> {
  return (await tx.run(findEnded, { accountId })).map(({ operatorId }) => operatorId);
}
