import type { Selectable } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import type { Tables } from '../../../storage/tables.ts';
import { announce } from '../../events/announce.ts';
import type { Caller } from '../../kernel/caller.ts';
import { DomainError, unknownId } from '../../kernel/errors.ts';
import type { VisitorUpdate } from './visitor-profile.ts';

export type VisitorRow = Selectable<Tables['visitors']>;

export async function requireVisitor(tx: Transaction, accountId: number, id: number): Promise<VisitorRow> {
  const row = await tx.db
    .selectFrom('visitors')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw unknownId('visitor', id);
  return row;
}

/** Writes what is another than before, and tells which fields that were: their values are personal. */
export async function changeVisitor(
  tx: Transaction,
  by: Pick<Caller, 'accountId' | 'actor'>,
  before: VisitorRow,
  to: VisitorUpdate & { readonly browser?: string },
): Promise<VisitorRow> {
  if (before.erasedAt !== null) throw new DomainError('state', 'The data of this visitor was removed.');
  const changed = Object.fromEntries(
    Object.entries(to).filter(([name, value]) => value !== undefined && value !== before[name as keyof VisitorRow]),
  );
  const fields = Object.keys(changed);
  if (fields.length === 0) return before;
  await tx.db
    .updateTable('visitors')
    .set(changed)
    .where('accountId', '=', before.accountId)
    .where('id', '=', before.id)
    .execute();
  announce(tx, by, 'visitor.updated', before.id, { fields, values: {} });
  return { ...before, ...changed };
}
