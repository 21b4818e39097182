import type { Transaction } from '../../../storage/database.ts';
import { type Caller, forbidden, requireOperatorId, requireWrite, type VisitorCaller } from '../../kernel/caller.ts';
import { unknownId } from '../../kernel/errors.ts';
import type { Conversation } from '../records/conversation.ts';

/** How a caller relates to a conversation: it is their own, they manage it, or they have no access. */
export type Involvement = 'own' | 'managed' | 'none';

/** `loadGroupId` returns an operator's group; callers with many conversations pass a batched loader. */
export async function findInvolvement(
  caller: Caller,
  conversation: Pick<Conversation, 'operatorId' | 'groupId'>,
  loadGroupId: (operatorId: number) => Promise<number | null>,
): Promise<Involvement> {
  if (caller.operatorId !== null && conversation.operatorId === caller.operatorId) return 'own';
  if (caller.accessLevel === 'admin') return 'managed';
  const { managedGroups, accessLevel } = caller;
  if (accessLevel !== 'manager') return 'none';
  if (managedGroups === 'account') return 'managed';
  const group = conversation.operatorId === null ? conversation.groupId : await loadGroupId(conversation.operatorId);
  return group !== null && managedGroups.has(group) ? 'managed' : 'none';
}

/** Loads the group of one operator at a time. */
export function createGroupIdLoader({ db }: Pick<Transaction, 'db'>, { accountId }: Caller) {
  return async (operatorId: number): Promise<number | null> => {
    const row = await db
      .selectFrom('operators')
      .select('groupId')
      .where('accountId', '=', accountId)
      .where('id', '=', operatorId)
      .executeTakeFirst();
    return row?.groupId ?? null;
  };
}

/** Throws unless the caller is the conversation's operator or manages it. */
export async function requireInvolvement(
  tx: Transaction,
  caller: Caller,
  conversation: Conversation,
): Promise<Involvement> {
  requireWrite(caller);
  const involvement = await findInvolvement(caller, conversation, createGroupIdLoader(tx, caller));
  if (involvement === 'none') throw forbidden();
  return involvement;
}

/** Throws unless the caller is the conversation's operator. */
export function requireOwnConversation(caller: Caller, conversation: Conversation): void {
  requireWrite(caller);
  if (conversation.operatorId !== requireOperatorId(caller)) throw forbidden();
}

/** Another visitor's conversation is reported as unknown. */
export function requireVisitorConversation(visitor: VisitorCaller, conversation: Conversation): void {
  if (conversation.visitorId !== visitor.visitorId) throw unknownId('conversation', conversation.id);
}
