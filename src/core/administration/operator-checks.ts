import type { Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import { foldEmail, isEmailTaken } from '../access/logins.ts';
import { DomainError, invalid, invalidField, type Problem } from '../kernel/errors.ts';
import { findCallConfigProblem } from '../operators/call-config.ts';
import { findHighestRole, type NewOperator, type Operator, type OperatorUpdate } from '../operators/operator.ts';
import type { TargetLookup } from '../operators/targets.ts';

const findExternalId = prepare<{ accountId: number; externalId: string }>((db, { accountId, externalId }) =>
  db.selectFrom('operators').select('id').where('accountId', '=', accountId).where('externalId', '=', externalId),
);

/** Makes the checks that need the database: references and unique fields. */
export async function requireValidOperator(
  tx: Transaction,
  accountId: number,
  targets: TargetLookup,
  operator: NewOperator,
  before?: Operator,
): Promise<void> {
  const { groupId, websiteList, skillList } = operator;
  // Unchanged references exist: groups, websites and skills of an operator cannot be deleted.
  const groups = groupId === null || groupId === before?.groupId ? [] : [groupId];
  const [hasGroup, hasWebsites, hasSkills, hasEmailConflict, hasExternalIdConflict] = await Promise.all([
    targets.allExist('groups', groups),
    targets.allExist('websites', findAddedIds(websiteList, before?.websiteList)),
    targets.allExist('skills', findAddedIds(skillList, before?.skillList)),
    isEmailTakenByOther(tx, operator.email, before),
    isExternalIdTakenByOther(tx, accountId, operator.externalId, before),
  ]);
  const problems: Problem[] = [];
  const addMissing = (path: string, expected: string) =>
    problems.push({ path: [path], code: 'invalid', rule: `must name ${expected} of the account` });
  if (!hasGroup) addMissing('groupId', 'a group');
  if (!hasWebsites) addMissing('websiteList', 'websites');
  if (!hasSkills) addMissing('skillList', 'skills');
  const callConfigError = findCallConfigProblem(operator.callConfig);
  if (callConfigError) problems.push(callConfigError);
  if (problems.length > 0) throw invalid(problems);
  if (hasEmailConflict) throw alreadyUsedError('email');
  if (hasExternalIdConflict) throw alreadyUsedError('externalId');
}

function findAddedIds(now: readonly number[], before: readonly number[] = []): number[] {
  return now.filter((id) => !before.includes(id));
}

export function isAdmin(operator: Operator): boolean {
  return operator.roles.includes('admin');
}

export function requireConsistentRoles({ role, roles }: Pick<OperatorUpdate, 'role' | 'roles'>): void {
  if (role && roles && findHighestRole(roles) !== role)
    throw invalidField('role', 'must be the highest of roles, or be left out');
}

export async function requireAnotherAdmin(tx: Transaction, accountId: number, action: string): Promise<void> {
  const account = await tx.db
    .selectFrom('accounts')
    .select('adminCount')
    .where('id', '=', accountId)
    .executeTakeFirst();
  if ((account?.adminCount ?? 0) <= 1) {
    throw new DomainError('conflict', `The last admin of an account cannot be ${action}.`);
  }
}

async function isEmailTakenByOther(tx: Transaction, email: string, before: Operator | undefined): Promise<boolean> {
  if (before && foldEmail(before.email) === foldEmail(email)) return false;
  return isEmailTaken(tx, email);
}

async function isExternalIdTakenByOther(
  tx: Transaction,
  accountId: number,
  externalId: string | null,
  before: Operator | undefined,
): Promise<boolean> {
  if (externalId === null || externalId === before?.externalId) return false;
  return (await tx.run(findExternalId, { accountId, externalId })).length > 0;
}

function alreadyUsedError(field: string): DomainError {
  return new DomainError('conflict', `The ${field} is already used.`, {
    problems: [{ path: [field], code: 'invalid', rule: 'is already used by another operator' }],
  });
}
