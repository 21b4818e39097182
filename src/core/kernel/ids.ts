import { z } from 'zod';
import type { Transaction } from '../../storage/database.ts';
import { NO_FACTS, prepare } from '../../storage/prepared-statement.ts';

const ID_RULE = 'must be an identifier: decimal digits, at least 1';

export const id = z.int({ error: ID_RULE }).min(1, { error: ID_RULE });

/** Accepts digits only: no sign, no leading zero, at most the largest safe integer. */
export function parseId(text: string): number | undefined {
  if (!/^[1-9][0-9]{0,15}$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}

const incrementCounter = prepare<{ accountId: number; name: string }, { value: number }>(
  (db, { accountId, name }) =>
    db
      .insertInto('counters')
      .values({ accountId, name, value: 1 })
      .onConflict((conflict) =>
        conflict.columns(['accountId', 'name']).doUpdateSet((eb) => ({ value: eb('counters.value', '+', 1) })),
      )
      .returning('value'),
  { reads: NO_FACTS, writes: NO_FACTS }, // each gets another value, in any order
);

/** Takes the next identifier of a kind in an account, which a later statement reads as the value of its counter. */
export function sendNextId(tx: Transaction, accountId: number, kind: string): void {
  tx.send(incrementCounter, { accountId, name: kind });
}

/** Returns the next identifier of a kind in an account. Identifiers are never reused, even after a delete. */
export async function nextId(tx: Transaction, accountId: number, kind: string): Promise<number> {
  const [row] = await tx.run(incrementCounter, { accountId, name: kind });
  return (row as { value: number }).value;
}
