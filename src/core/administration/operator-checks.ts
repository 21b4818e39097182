import type { Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import { isLogin, loginName } from '../access/logins.ts';
import { DomainError, invalid, invalidField, type Problem } from '../kernel/errors.ts';
import { callConfigProblem } from '../operators/call-config.ts';
import { highestRole, type NewOperator, type Operator, type OperatorUpdate } from '../operators/operator.ts';
import type { Targets } from '../operators/targets.ts';

const findExternalId = prepare<{ accountId: number; externalId: string }>((db, { accountId, externalId }) =>
  db.selectFrom('operators').select('id').where('accountId', '=', accountId).where('externalId', '=', externalId),
);

/** What cannot be told from the input alone: what it points at, and what must be unique. */
export async function requireSound(
  tx: Transaction,
  accountId: number,
  targets: Targets,
  operator: NewOperator,
  before?: Operator,
): Promise<void> {
  const { groupId, websiteList, skillList } = operator;
  // What was named before is there: nothing that an operator points at can be deleted.
  const groups = groupId === null || groupId === before?.groupId ? [] : [groupId];
  const [hasGroup, hasWebsites, hasSkills, isEmailTaken, isExternalIdTaken] = await Promise.all([
    targets.allExist('groups', groups),
    targets.allExist('websites', added(websiteList, before?.websiteList)),
    targets.allExist('skills', added(skillList, before?.skillList)),
    isTakenEmail(tx, operator.email, before),
    isTakenExternalId(tx, accountId, operator.externalId, before),
  ]);
  const problems: Problem[] = [];
  const missing = (path: string, thing: string) =>
    problems.push({ path: [path], code: 'invalid', rule: `must name ${thing} of the account` });
  if (!hasGroup) missing('groupId', 'a group');
  if (!hasWebsites) missing('websiteList', 'websites');
  if (!hasSkills) missing('skillList', 'skills');
  const pickup = callConfigProblem(operator.callConfig);
  if (pickup) problems.push(pickup);
  if (problems.length > 0) throw invalid(problems);
  if (isEmailTaken) throw alreadyUsed('email');
  if (isExternalIdTaken) throw alreadyUsed('externalId');
}

function added(now: readonly number[], before: readonly number[] = []): number[] {
  return now.filter((id) => !before.includes(id));
}

export function isAdmin(operator: Operator): boolean {
  return operator.roles.includes('admin');
}

export function refuseDisagreeingRoles({ role, roles }: Pick<OperatorUpdate, 'role' | 'roles'>): void {
  if (role && roles && highestRole(roles) !== role)
    throw invalidField('role', 'must be the highest of roles, or be left out');
}

export async function refuseLastAdmin(tx: Transaction, accountId: number, what: string): Promise<void> {
  const account = await tx.db
    .selectFrom('accounts')
    .select('adminCount')
    .where('id', '=', accountId)
    .executeTakeFirst();
  if ((account?.adminCount ?? 0) <= 1) {
    throw new DomainError('conflict', `The last admin of an account cannot be ${what}.`);
  }
}

async function isTakenEmail(tx: Transaction, email: string, before: Operator | undefined): Promise<boolean> {
  if (before && loginName(before.email) === loginName(email)) return false;
  return isLogin(tx, email);
}

async function isTakenExternalId(
  tx: Transaction,
  accountId: number,
  externalId: string | null,
  before: Operator | undefined,
): Promise<boolean> {
  if (externalId === null || externalId === before?.externalId) return false;
  return (await tx.run(findExternalId, { accountId, externalId })).length > 0;
}

function alreadyUsed(field: string): DomainError {
  return new DomainError('conflict', `The ${field} is already used.`, {
    problems: [{ path: [field], code: 'invalid', rule: 'is already used by another operator' }],
  });
}
