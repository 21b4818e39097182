import type { Transaction } from '../../storage/database.ts';
import { hotStatement } from '../../storage/hot-statement.ts';
import { drainFor } from './queue.ts';
import type { By } from './slots.ts';

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

/** Who declined may be asked again, first for what has waited longest. */
export async function endPausesOf(tx: Transaction, by: By, operatorId: number): Promise<void> {
  const ended = await tx.run(removeEnded, { accountId: by.accountId, operatorId });
  if (ended.length > 0) await drainFor(tx, by, operatorId, 'pause_ended');
}

/** Operators whose pauses have ended, though nobody has noticed it yet. */
export async function endedPauses(tx: Transaction, accountId: number): Promise<number[]> {
  return (await tx.run(findEnded, { accountId })).map(({ operatorId }) => operatorId);
}
