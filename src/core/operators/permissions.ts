import { type Caller, forbidden, requireManager, requireWrite } from '../kernel/caller.ts';
import type { Role } from '../kernel/roles.ts';
import type { Operator, OperatorUpdate } from './operator.ts';
import type { OperatorFilters } from './operator-filter.ts';

/** How an operator relates to the caller: the caller, an operator whom the caller manages, or another one. */
export type Relation = 'self' | 'managed' | 'other';

export type PermissionSubject = Pick<Operator, 'id' | 'groupId' | 'roles'>;

const MANAGEMENT_ROLES: readonly Role[] = ['manager', 'admin'];

/** Admins manage all operators; managers manage operators of their groups who are neither manager nor admin. */
export function findRelation(caller: Caller, operator: PermissionSubject): Relation {
  if (caller.operatorId === operator.id) return 'self';
  if (caller.accessLevel === 'admin') return 'managed';
  const isBelowManager = !operator.roles.some((role) => MANAGEMENT_ROLES.includes(role));
  return caller.accessLevel === 'manager' && isBelowManager && manages(caller, operator.groupId) ? 'managed' : 'other';
}

/**
 * The parts of an operator: all callers read the pseudonym and live state, operators also names, managers the details.
 * The secret is for admins and write keys, not for the operator: it logs in without a password and without the second
 * factor, so with an open session one could keep access that a new password does not end.
 */
export type Visibility = 'public' | 'names' | 'details' | 'secret';

export function canRead(caller: Caller, operator: PermissionSubject, part: Visibility): boolean {
  if (part === 'public') return true;
  if (part === 'secret') return caller.accessLevel === 'admin' && caller.canWrite;
  const relation = findRelation(caller, operator);
  if (relation !== 'other') return true;
  return part === 'names' && caller.accessLevel !== 'expert';
}

/** Whether the caller can read the names and details of all operators: each check of one would pass. */
export function canReadEveryOperator({ accessLevel }: Caller): boolean {
  return accessLevel === 'admin';
}

/**
 * What each filter reveals about the operators that match. Memberships are public: groups, websites and skills list
 * them.
 */
const FILTER_VISIBILITY: Record<keyof OperatorFilters, Exclude<Visibility, 'secret'>> = {
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

/** Throws unless the caller can read the filtered fields of every operator: a filter on a field reveals it. */
export function requireCanFilter(caller: Caller, filters: OperatorFilters): void {
  if (caller.accessLevel === 'admin') return;
  for (const [name, filter] of Object.entries(filters)) {
    if (filter === undefined) continue;
    const part = FILTER_VISIBILITY[name as keyof OperatorFilters];
    if (part === 'details' || (part === 'names' && caller.accessLevel === 'expert')) throw forbidden();
  }
}

/**
 * The fields that operators may change themselves. The password is not one of them: changing it requires the current
 * one.
 */
const OWN_FIELDS: ReadonlySet<string> = new Set(['pseudo', 'languageAdmin', 'callConfig']);

/** Throws unless the caller can make this update. Checked before the input is validated in detail. */
export function requireCanUpdate(caller: Caller, operator: PermissionSubject, input: OperatorUpdate): void {
  requireWrite(caller);
  const relation = findRelation(caller, operator);
  // An attacker with an open session, even of an admin, must not be able to take over the account.
  if (relation === 'self' && input.password !== undefined) throw forbidden();
  if (caller.accessLevel === 'admin') return;
  if (relation === 'other') throw forbidden();
  const fields = Object.entries(input).filter(([, value]) => value !== undefined);
  if (relation === 'self' && fields.some(([name]) => !OWN_FIELDS.has(name))) throw forbidden();
  if (relation === 'managed') requireWithinManagerLimits(caller, input);
}

/** Whether the caller may set the operator's password without knowing the current one: never their own. */
export function canSetPassword(caller: Caller, operator: PermissionSubject): boolean {
  return caller.canWrite && findRelation(caller, operator) === 'managed';
}

export function requireCanSetPassword(caller: Caller, operator: PermissionSubject): void {
  if (!canSetPassword(caller, operator)) throw forbidden();
}

/** Managers create operators in their groups, never with a higher role. */
export function requireCanCreate(caller: Caller, input: Pick<OperatorUpdate, 'groupId' | 'roles' | 'role'>): void {
  requireWrite(caller);
  if (caller.accessLevel === 'admin') return;
  if (caller.accessLevel !== 'manager') throw forbidden();
  requireWithinManagerLimits(caller, { ...input, groupId: input.groupId ?? null });
}

/** Managers and admins only: failed rows reveal which identifiers are in use. */
export function requireCanImport(caller: Caller): void {
  requireManager(caller);
}

export function requireCanDelete(caller: Caller, operator: PermissionSubject): void {
  requireWrite(caller);
  if (caller.accessLevel !== 'admin' && findRelation(caller, operator) !== 'managed') throw forbidden();
}

/** Operators may end the links to their own account, though only admins read the new key. */
export function requireCanRotateKey(caller: Caller, operator: PermissionSubject): void {
  requireWrite(caller);
  if (caller.accessLevel !== 'admin' && findRelation(caller, operator) !== 'self') throw forbidden();
}

/** Throws unless the caller is the operator or manages them: for changes of availability, presence and profile. */
export function requireSelfOrManaged(caller: Caller, operator: PermissionSubject): void {
  requireWrite(caller);
  if (findRelation(caller, operator) === 'other') throw forbidden();
}

/** No operator has it. */
const UNKNOWN_OPERATOR_ID = 0;

/** Throws what `check` throws if the caller cannot pass it with any operator: neither with themselves nor a managed one. */
export function requireForAnyOperator(
  caller: Caller,
  check: (caller: Caller, operator: PermissionSubject) => void,
): void {
  const { operatorId, managedGroups } = caller;
  const [groupId = null] = managedGroups === 'account' ? [] : managedGroups;
  try {
    check(caller, { id: UNKNOWN_OPERATOR_ID, groupId, roles: [] });
  } catch (error) {
    if (operatorId === null) throw error;
    check(caller, { id: operatorId, groupId: null, roles: [] });
  }
}

function requireWithinManagerLimits(
  caller: Caller,
  { roles, role, groupId }: Pick<OperatorUpdate, 'roles' | 'role' | 'groupId'>,
): void {
  if ([...(roles ?? []), role].some((value) => value !== undefined && MANAGEMENT_ROLES.includes(value)))
    throw forbidden();
  if (groupId !== undefined && !manages(caller, groupId)) throw forbidden();
}

/** Whether the caller manages the operators of this group; null for those without a group. */
export function manages({ managedGroups }: Caller, groupId: number | null): boolean {
  return managedGroups === 'account' || (groupId !== null && managedGroups.has(groupId));
}
