import { type Caller, forbidden, requireWrite } from '../kernel/caller.ts';
import type { Role } from '../kernel/roles.ts';
import type { Operator, OperatorUpdate } from './operator.ts';
import type { OperatorFilters } from './operator-filter.ts';

/** What an operator is to a caller: themself, somebody whom they manage, or anybody else. */
export type Relation = 'self' | 'managed' | 'other';

type PermissionSubject = Pick<Operator, 'id' | 'groupId' | 'roles'>;

const ABOVE_OPERATOR: readonly Role[] = ['manager', 'admin'];

/** Admins manage everyone; managers those in their groups who stand below them. */
export function relationTo(caller: Caller, operator: PermissionSubject): Relation {
  if (caller.operatorId === operator.id) return 'self';
  if (caller.accessLevel === 'admin') return 'managed';
  const below = !operator.roles.some((role) => ABOVE_OPERATOR.includes(role));
  return caller.accessLevel === 'manager' && below && manages(caller, operator.groupId) ? 'managed' : 'other';
}

/** What of an operator may be read: the pseudonym and the live state by all, names by operators, the rest by few. */
export type Visibility = 'public' | 'names' | 'details' | 'secret';

export function canRead(caller: Caller, operator: PermissionSubject, what: Visibility): boolean {
  if (what === 'public') return true;
  const relation = relationTo(caller, operator);
  if (what === 'secret') return relation === 'self' || (caller.accessLevel === 'admin' && caller.canWrite);
  if (relation !== 'other') return true;
  return what === 'names' && caller.accessLevel !== 'expert';
}

/** What each filter tells of whoever passes it. Who belongs where is public: groups, websites and skills show it. */
const TOLD_BY_FILTERS: Record<keyof OperatorFilters, Exclude<Visibility, 'secret'>> = {
  id: 'public',
  groupId: 'public',
  websiteId: 'public',
  websiteList: 'public',
  skillId: 'public',
  connected: 'public',
  available: 'public',
  routable: 'public',
  name: 'names',
  externalId: 'details',
  email: 'details',
  role: 'details',
  language: 'details',
};

/** A filter on what one may not read of everybody would tell it all the same: the whole question is refused. */
export function requireMayFilter(caller: Caller, filters: OperatorFilters): void {
  if (caller.accessLevel === 'admin') return;
  for (const [name, filter] of Object.entries(filters)) {
    if (filter === undefined) continue;
    const what = TOLD_BY_FILTERS[name as keyof OperatorFilters];
    if (what === 'details' || (what === 'names' && caller.accessLevel === 'expert')) throw forbidden();
  }
}

/** What operators change of themselves; the password by way of the present one only. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['pseudo', 'languageAdmin', 'callConfig']);

/** Refuses a change that the caller may not make, before anything is looked at in detail. */
export function requireMayUpdate(caller: Caller, operator: PermissionSubject, input: OperatorUpdate): void {
  requireWrite(caller);
  const relation = relationTo(caller, operator);
  // Whoever finds an open session, also of an admin, must not be able to keep the account.
  if (relation === 'self' && input.password !== undefined) throw forbidden();
  if (caller.accessLevel === 'admin') return;
  if (relation === 'other') throw forbidden();
  const fields = Object.entries(input).filter(([, value]) => value !== undefined);
  if (relation === 'self' && fields.some(([name]) => !OWN_FIELDS.has(name))) throw forbidden();
  if (relation === 'managed') requireWithinReach(caller, input);
}

/** A manager makes operators of their own groups, never above an operator. */
export function requireMayCreate(caller: Caller, input: Pick<OperatorUpdate, 'groupId' | 'roles' | 'role'>): void {
  requireWrite(caller);
  if (caller.accessLevel === 'admin') return;
  if (caller.accessLevel !== 'manager') throw forbidden();
  requireWithinReach(caller, { ...input, groupId: input.groupId ?? null });
}

/** Others would learn from the rows that fail who has which identifier. */
export function requireMayImport(caller: Caller): void {
  requireWrite(caller);
  if (caller.accessLevel !== 'admin' && caller.accessLevel !== 'manager') throw forbidden();
}

export function requireMayDelete(caller: Caller, operator: PermissionSubject): void {
  requireWrite(caller);
  if (caller.accessLevel !== 'admin' && relationTo(caller, operator) !== 'managed') throw forbidden();
}

/** Whoever has the key of single sign-on is the operator: their own business, and that of admins. */
export function requireMayRotateKey(caller: Caller, operator: PermissionSubject): void {
  requireWrite(caller);
  if (!canRead(caller, operator, 'secret')) throw forbidden();
}

/** Availability, presence and profile: one's own, and of those whom one manages. */
export function requireMayServe(caller: Caller, operator: PermissionSubject): void {
  requireWrite(caller);
  if (relationTo(caller, operator) === 'other') throw forbidden();
}

function requireWithinReach(
  caller: Caller,
  { roles, role, groupId }: Pick<OperatorUpdate, 'roles' | 'role' | 'groupId'>,
): void {
  if ([...(roles ?? []), role].some((given) => given !== undefined && ABOVE_OPERATOR.includes(given)))
    throw forbidden();
  if (groupId !== undefined && !manages(caller, groupId)) throw forbidden();
}

function manages({ managedGroups }: Caller, groupId: number | null): boolean {
  return managedGroups === 'account' || (groupId !== null && managedGroups.has(groupId));
}
