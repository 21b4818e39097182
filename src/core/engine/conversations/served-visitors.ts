import type { Database } from '../../../storage/database.ts';

/** Returns those of the visitors with whom the operator has an offered or active conversation. */
export async function filterServedVisitors(
  { read }: Pick<Database, 'read'>,
  accountId: number,
  operatorId: number,
  visitorIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (visitorIds.length === 0) return new Set();
  const rows = await read
    .selectFrom('conversations')
    .select('visitorId')
    .distinct()
    .where('accountId', '=', accountId)
    .where('operatorId', '=', operatorId)
    .where('state', 'in', ['offered', 'active'])
    .where('visitorId', 'in', visitorIds)
    .execute();
  return new Set(rows.flatMap(({ visitorId }) => visitorId ?? []));
}
