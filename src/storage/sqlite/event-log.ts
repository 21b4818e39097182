import type { Selectable } from 'kysely';
import type { NewEvent, Transaction } from '../database.ts';
import { prepare } from '../prepared-statement.ts';
import type { Tables } from '../tables.ts';

const insertEvent = prepare<Selectable<Tables['events']>>((db, row) => db.insertInto('events').values(row));

/**
 * Writes the events of one transaction. Called as its last step: the position is taken under the lock of the account's
 * row, so no reader ever sees a position before a smaller one.
 */
export async function appendEvents(tx: Transaction, events: readonly NewEvent[]): Promise<void> {
  for (const [accountId, own] of Map.groupBy(events, (event) => event.accountId)) {
    const account = await tx.db
      .updateTable('accounts')
      .set((eb) => ({ eventPosition: eb('eventPosition', '+', own.length) }))
      .where('id', '=', accountId)
      .returning('eventPosition')
      .executeTakeFirstOrThrow();
    const first = account.eventPosition - own.length + 1;
    for (const [index, event] of own.entries()) {
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
