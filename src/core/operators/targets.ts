import type { Transaction } from '../../storage/database.ts';

type Kind = 'groups' | 'websites' | 'skills' | 'operators';

/** What operators of an account can point at. */
export interface Targets {
  allExist(kind: Kind, ids: readonly number[]): Promise<boolean>;
  allWebsites(): Promise<readonly number[]>;
}

/** For one operator: asks for what it names. */
export function targetsOf({ db }: Transaction, accountId: number): Targets {
  return {
    allExist: async (kind, ids) => {
      if (ids.length === 0) return true;
      const found = await db
        .selectFrom(kind as 'skills')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('accountId', '=', accountId)
        .where('id', 'in', ids)
        .executeTakeFirstOrThrow();
      return found.count === ids.length;
    },
    allWebsites: async () => [...(await idsOf(db, accountId, 'websites'))],
  };
}

/** For many operators of one transaction: reads everything once. */
export async function allTargetsOf(tx: Transaction, accountId: number): Promise<Targets> {
  const { db } = tx;
  const known: Record<Exclude<Kind, 'operators'>, ReadonlySet<number>> = {
    groups: await idsOf(db, accountId, 'groups'),
    websites: await idsOf(db, accountId, 'websites'),
    skills: await idsOf(db, accountId, 'skills'),
  };
  return {
    allExist: async (kind, ids) =>
      kind === 'operators' ? targetsOf(tx, accountId).allExist(kind, ids) : ids.every((id) => known[kind].has(id)),
    allWebsites: async () => [...known.websites],
  };
}

async function idsOf(db: Transaction['db'], accountId: number, kind: Kind): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom(kind as 'skills')
    .select('id')
    .where('accountId', '=', accountId)
    .execute();
  return new Set(rows.map((row) => row.id));
}
