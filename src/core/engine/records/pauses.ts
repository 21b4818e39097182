import type { Transaction } from '../../../storage/database.ts';
import { hotStatement } from '../../../storage/prepared-statement.ts';

const removeEnded = hotStatement<{ accountId: number; operatorId: number }, { conversationId: number }>(
  (db, { accountId, operatorId }) =>
    db
      .deleteFrom('offerPauses')
      .where('accountId', '=', accountId)
      .where('operatorId', '=', operatorId)
      .where('until', '<=', (eb) => eb.fn<number>('now_ms', []))
      .returning('conversationId'),
);
const findEnded = hotStatement<{ accountId: number }, { operatorId: number }>((db, { accountId }) =>
  db
    .selectFrom('offerPauses')
    .select('operatorId')
    .distinct()
    .where('accountId', '=', accountId)
    .where('until', '<=', (eb) => eb.fn<number>('now_ms', []))
    .orderBy('operatorId'),
);

/** Ends the pauses of an operator that are over; answers whether there were any. */
export async function removeEndedPauses(tx: Transaction, accountId: number, operatorId: number): Promise<boolean> {
  return (await tx.run(removeEnded, { accountId, operatorId })).length > 0;
}

/** Operators whose pauses have ended, though nobody has noticed it yet. */
export async function endedPauses(tx: Transaction, accountId: number): Promise<number[]> {
  return (await tx.run(findEnded, { accountId })).map(({ operatorId }) => operatorId);
}
