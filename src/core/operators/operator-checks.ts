import type { Transaction } from '../../storage/database.ts';
import { hotStatement } from '../../storage/hot-statement.ts';
import { DomainError, invalid, invalidField, type Problem } from '../errors.ts';
import { loginName } from '../identity/login-limits.ts';
import { callConfigProblem } from './call-config.ts';
import { highestRole, type NewOperator, type Operator, type OperatorUpdate } from './operator.ts';
import type { Targets } from './targets.ts';

const findEmail = hotStatement<{ emailFolded: string }>((db, { emailFolded }) =>
  db.selectFrom('logins').select('operatorId').where('emailFolded', '=', emailFolded),
);
const findExternalId = hotStatement<{ accountId: number; externalId: string }>((db, { accountId, externalId }) =>
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
  const problems: Problem[] = [];
  const missing = (path: string, thing: string) =>
    problems.push({ path: [path], code: 'invalid', rule: `must name ${thing} of the account` });
  const { groupId, websiteList, skillList } = operator;
  if (groupId !== null && !(await targets.allExist('groups', [groupId]))) missing('groupId', 'a group');
  if (!(await targets.allExist('websites', websiteList))) missing('websiteList', 'websites');
  if (!(await targets.allExist('skills', skillList))) missing('skillList', 'skills');
  const pickup = callConfigProblem(operator.callConfig);
  if (pickup) problems.push(pickup);
  if (problems.length > 0) throw invalid(problems);
  await refuseTakenEmail(tx, operator.email, before);
  await refuseTakenExternalId(tx, accountId, operator.externalId, before);
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

async function refuseTakenEmail(tx: Transaction, email: string, before: Operator | undefined): Promise<void> {
  if (before && loginName(before.email) === loginName(email)) return;
  const [taken] = await tx.run(findEmail, { emailFolded: loginName(email) });
  if (taken) throw alreadyUsed('email');
}

async function refuseTakenExternalId(
  tx: Transaction,
  accountId: number,
  externalId: string | null,
  before: Operator | undefined,
): Promise<void> {
  if (externalId === null || externalId === before?.externalId) return;
  const [taken] = await tx.run(findExternalId, { accountId, externalId });
  if (taken) throw alreadyUsed('externalId');
}

function alreadyUsed(field: string): DomainError {
  return new DomainError('conflict', `The ${field} is already used.`, {
    problems: [{ path: [field], code: 'invalid', rule: 'is already used by another operator' }],
  });
}
