import type { Kysely } from 'kysely';
import type { Tables } from '../../storage/tables.ts';
import type { AccessLevel, Caller } from '../kernel/caller.ts';
import type { Role } from '../kernel/roles.ts';
import { collectSubtree } from '../kernel/tree.ts';

const LEVELS_HIGHEST_FIRST: readonly AccessLevel[] = ['admin', 'manager', 'operator', 'expert'];

function findAccessLevel(roles: readonly Role[]): AccessLevel {
  return LEVELS_HIGHEST_FIRST.find((role) => roles.includes(role)) ?? 'expert';
}

export function isLowerLevel(roles: readonly Role[], previousRoles: readonly Role[]): boolean {
  const rank = (list: readonly Role[]) => LEVELS_HIGHEST_FIRST.indexOf(findAccessLevel(list));
  return rank(roles) > rank(previousRoles);
}

interface OperatorColumns {
  readonly accountId: number;
  readonly operatorId: number;
  /** JSON, as stored. */
  readonly roles: string;
  readonly groupId: number | null;
}

/** Returns the operator as a caller, with the permissions that they have now. A token can restrict them further. */
export async function toOperatorCaller(
  db: Kysely<Tables>,
  { accountId, operatorId, roles, groupId }: OperatorColumns,
): Promise<Caller> {
  const accessLevel = findAccessLevel(JSON.parse(roles) as Role[]);
  return {
    accountId,
    actor: { type: 'operator', id: operatorId },
    canWrite: true,
    accessLevel,
    operatorId,
    managedGroups: await findManagedGroups(db, accountId, accessLevel, groupId),
    mustSetUpTwoFactor: false,
  };
}

async function findManagedGroups(
  db: Kysely<Tables>,
  accountId: number,
  accessLevel: AccessLevel,
  groupId: number | null,
): Promise<Caller['managedGroups']> {
  if (accessLevel === 'expert' || accessLevel === 'operator') return new Set();
  return accessLevel === 'manager' && groupId !== null ? findSubtree(db, accountId, groupId) : 'account';
}

async function findSubtree(db: Kysely<Tables>, accountId: number, groupId: number): Promise<ReadonlySet<number>> {
  const rows = await db.selectFrom('groups').select(['id', 'parentId']).where('accountId', '=', accountId).execute();
  return collectSubtree(groupId, new Map(rows.map((row) => [row.id, row.parentId])));
}
