import { type Selectable, sql } from 'kysely';
import type { Database, Transaction } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import type { Tables } from '../../../storage/tables.ts';
import { deleteInBatches } from '../../kernel/batched-delete.ts';
import type { AccountContext } from '../../kernel/caller.ts';
import type { VisitorContext } from './visitor-context.ts';

type ContextRow = Selectable<Tables['visitorContext']>;

const find = prepare<{ accountId: number; visitorId: number }, ContextRow>((db, { accountId, visitorId }) =>
  db.selectFrom('visitorContext').selectAll().where('accountId', '=', accountId).where('visitorId', '=', visitorId),
);

const upsert = prepare<ContextRow>((db, row) =>
  db
    .insertInto('visitorContext')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['accountId', 'visitorId']).doUpdateSet((eb) => ({
        page: eb.ref('excluded.page'),
        title: eb.ref('excluded.title'),
        referrer: eb.ref('excluded.referrer'),
        timezone: eb.ref('excluded.timezone'),
        language: eb.ref('excluded.language'),
        fields: eb.ref('excluded.fields'),
        verifiedFields: eb.ref('excluded.verifiedFields'),
        verifiedDetails: eb.ref('excluded.verifiedDetails'),
        updatedAt: eb.ref('excluded.updatedAt'),
      })),
    ),
);

export async function findContext(
  tx: Transaction,
  { accountId }: AccountContext,
  visitorId: number,
): Promise<VisitorContext | undefined> {
  const [row] = await tx.run(find, { accountId, visitorId });
  return row && toContext(row);
}

export async function loadContexts(
  { read }: Database,
  accountId: number,
  visitorIds: readonly number[],
): Promise<(VisitorContext & { readonly id: number })[]> {
  const rows = await read
    .selectFrom('visitorContext')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('visitorId', 'in', visitorIds)
    .execute();
  return rows.map((row) => ({ id: row.visitorId, ...toContext(row) }));
}

export async function writeContext(
  tx: Transaction,
  { accountId }: AccountContext,
  visitorId: number,
  context: Omit<VisitorContext, 'updatedAt'>,
): Promise<void> {
  const { page, title, referrer, timezone, language, fields, verifiedFields, verifiedDetails } = context;
  await tx.run(upsert, {
    ...{ accountId, visitorId, page, title, referrer, timezone, language, updatedAt: tx.now },
    fields: JSON.stringify(fields),
    verifiedFields: JSON.stringify(verifiedFields),
    verifiedDetails: JSON.stringify(verifiedDetails),
  });
}

export async function deleteContext(tx: Transaction, { accountId }: AccountContext, visitorId: number): Promise<void> {
  await tx.db
    .deleteFrom('visitorContext')
    .where('accountId', '=', accountId)
    .where('visitorId', '=', visitorId)
    .execute();
}

/** Deletes what is left about erased visitors: a node of the previous version that erases one does not know this table. */
export function deleteErasedContexts(database: Database, signal?: AbortSignal): Promise<void> {
  const where = sql`(account_id, visitor_id) in (select account_id, id from visitors where erased_at is not null)`;
  return deleteInBatches(database, { table: 'visitor_context', key: ['account_id', 'visitor_id'], where }, signal);
}

function toContext({ accountId: _account, visitorId: _visitor, ...row }: ContextRow): VisitorContext {
  return {
    ...row,
    fields: JSON.parse(row.fields),
    verifiedFields: JSON.parse(row.verifiedFields),
    verifiedDetails: JSON.parse(row.verifiedDetails),
  };
}
