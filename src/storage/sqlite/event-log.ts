import type { Selectable } from 'kysely';
import type { NewEvent, Transaction } from '../database.ts';
import { prepare } from '../prepared-statement.ts';
import type { Tables } from '../tables.ts';

const insertEvent = prepare<Selectable<Tables['events']>>((db, row) => db.insertInto('events').values(row));

const advancePosition = prepare<{ accountId: number; count: number }, { eventPosition: number }>(
  (db, { accountId, count }) =>
    db
      .updateTable('accounts')
      .set((eb) => ({ eventPosition: eb('eventPosition', '+', count) }))
      .where('id', '=', accountId)
      .returning('eventPosition'),
);

/**
 * Writes the events of a transaction, as its last step. It allocates positions under the lock of the account's row, so
 * that a position never becomes visible before a smaller one.
 */
export async function appendEvents(tx: Transaction, events: readonly NewEvent[]): Promise<void> {
  for (const [accountId, accountEvents] of Map.groupBy(events, (event) => event.accountId)) {
    const [account] = await tx.run(advancePosition, { accountId, count: accountEvents.length });
    if (!account) throw new Error(`Account ${accountId} does not exist.`);
    const first = account.eventPosition - accountEvents.length + 1;
    for (const [index, event] of accountEvents.entries()) {
      await tx.run(insertEvent, {
        accountId,
        position: first + index,
        type: event.type,
        subjectType: event.subjectType,
        subjectId: event.subjectId,
        actorType: event.actor.type,
        actorId: event.actor.id,
        at: tx.now,
        changes: JSON.stringify(event.changes),
        via: event.actor.via ?? null,
        address: event.actor.address ?? null,
      });
    }
  }
}
