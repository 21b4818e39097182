import type { Transaction } from '../../../storage/database.ts';
import { requireNode } from '../../directory/tree-store.ts';
import { type Caller, forbidden, requireManager, requireOperatorId, requireWrite } from '../../kernel/caller.ts';
import { DomainError, invalid, invalidField } from '../../kernel/errors.ts';
import { manages } from '../../operators/permissions.ts';
import type { CannedReplyOwner, CannedReplyScope } from './canned-reply.ts';

/** The owner as a caller names it. */
export interface OwnerInput {
  readonly scope: CannedReplyScope;
  readonly groupId?: number | null | undefined;
}

/** Operators change their own replies, managers those of their groups, admins and keys those of groups and account. */
export function canEditRepliesOf(caller: Caller, { scope, id }: CannedReplyOwner): boolean {
  if (!caller.canWrite) return false;
  if (scope === 'own') return caller.operatorId === id;
  if (scope === 'account') return caller.accessLevel === 'admin';
  return caller.accessLevel === 'admin' || manages(caller, id);
}

export function requireCanEditRepliesOf(caller: Caller, owner: CannedReplyOwner): void {
  if (!canEditRepliesOf(caller, owner)) throw forbidden();
}

/** Checks the permission as far as possible without knowing whether the input is valid. */
export function authorizeOwner(caller: Caller, { scope, groupId }: OwnerInput): void {
  requireWrite(caller);
  if (scope === 'group' && typeof groupId !== 'number') requireManager(caller);
  else requireCanEditRepliesOf(caller, toOwner(caller, { scope, groupId }));
}

/** Throws unless the owner exists and the caller can change their replies. */
export async function requireOwner(tx: Transaction, caller: Caller, input: OwnerInput): Promise<CannedReplyOwner> {
  const owner = toOwner(caller, input);
  requireCanEditRepliesOf(caller, owner);
  if (owner.scope === 'group') await requireGroup(tx, caller, owner.id);
  return owner;
}

function toOwner(caller: Caller, { scope, groupId }: OwnerInput): CannedReplyOwner {
  if (scope === 'group') {
    if (typeof groupId === 'number') return { scope, id: groupId };
    throw invalid([{ path: ['groupId'], code: 'missing', rule: 'is required for the replies of a group' }]);
  }
  if (typeof groupId === 'number') throw invalidField('groupId', 'is only allowed for the replies of a group');
  return { scope, id: scope === 'own' ? requireOperatorId(caller) : 0 };
}

async function requireGroup(tx: Transaction, { accountId }: Caller, id: number): Promise<void> {
  try {
    await requireNode(tx, 'group', accountId, id);
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'unknown')
      throw invalidField('groupId', 'must be an existing group');
    throw error;
  }
}
