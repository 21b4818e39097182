import type { Transaction } from '../../storage/database.ts';

type Kind = 'groups' | 'websites' | 'skills' | 'operators';

/** Looks up the groups, websites, skills and operators of an account that an input refers to. */
export interface TargetLookup {
  allExist(kind: Kind, ids: readonly number[]): Promise<boolean>;
  loadAllWebsiteIds(): Promise<readonly number[]>;
}

/** Creates a lookup for a single input: one query per call. */
export function createTargetLookup({ db }: Transaction, accountId: number): TargetLookup {
  return {
    allExist: async (kind, ids) => {
      if (ids.length === 0) return true;
      const { count } = await db
        .selectFrom(kind as 'skills')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('accountId', '=', accountId)
        .where('id', 'in', ids)
        .executeTakeFirstOrThrow();
      return count === ids.length;
    },
    loadAllWebsiteIds: async () => [...(await loadIds(db, accountId, 'websites'))],
  };
}

/** Creates a lookup for many inputs in one transaction: reads all ids once. */
export async function preloadTargetLookup(tx: Transaction, accountId: number): Promise<TargetLookup> {
  const { db } = tx;
  const existingIds: Record<Exclude<Kind, 'operators'>, ReadonlySet<number>> = {
    groups: await loadIds(db, accountId, 'groups'),
    websites: await loadIds(db, accountId, 'websites'),
    skills: await loadIds(db, accountId, 'skills'),
  };
  return {
    allExist: async (kind, ids) =>
      kind === 'operators'
        ? createTargetLookup(tx, accountId).allExist(kind, ids)
        : ids.every((id) => existingIds[kind].has(id)),
    loadAllWebsiteIds: async () => [...existingIds.websites],
  };
}

async function loadIds(db: Transaction['db'], accountId: number, kind: Kind): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom(kind as 'skills')
    .select('id')
    .where('accountId', '=', accountId)
    .execute();
  return new Set(rows.map((row) => row.id));
}
