import type { Kysely } from 'kysely';
import type { NewEvent } from './database.ts';
import type { Tables } from './tables.ts';

/**
 * Writes the events of one transaction. Called as its last step: the position is taken under the lock of the account's
 * row, so no reader ever sees a position before a smaller one.
 */
export async function appendEvents(db: Kysely<Tables>, events: readonly NewEvent[], now: number): Promise<void> {
  for (const [accountId, own] of Map.groupBy(events, (event) => event.accountId)) {
    const account = await db
      .updateTable('accounts')
      .set((eb) => ({ eventPosition: eb('eventPosition', '+', own.length) }))
      .where('id', '=', accountId)
      .returning('eventPosition')
      .executeTakeFirstOrThrow();
    const first = account.eventPosition - own.length + 1;
    for (const [index, event] of own.entries()) {
      await db
        .insertInto('events')
        .values({
          accountId,
          position: first + index,
          type: event.type,
          subjectType: event.subjectType,
          subjectId: event.subjectId,
          actorType: event.actor.type,
          actorId: event.actor.id,
          at: now,
          changes: JSON.stringify(event.changes),
        })
        .execute();
    }
  }
}
