import type { Transaction } from '../../../storage/database.ts';
import { type Caller, forbidden, requireWrite, type VisitorCaller } from '../../kernel/caller.ts';
import { unknownId } from '../../kernel/errors.ts';
import type { Conversation } from '../records/conversation.ts';

/** What a conversation is to an operator: their own, one that they manage, or none of their business. */
export type Involvement = 'own' | 'managed' | 'none';

/** `groupOf` tells where an operator belongs: whoever asks about many conversations looks that up for all of them at once. */
export async function involvement(
  caller: Caller,
  conversation: Pick<Conversation, 'operatorId' | 'groupId'>,
  groupOf: (operatorId: number) => Promise<number | null>,
): Promise<Involvement> {
  if (caller.operatorId !== null && conversation.operatorId === caller.operatorId) return 'own';
  if (caller.accessLevel === 'admin') return 'managed';
  const { managedGroups, accessLevel: standing } = caller;
  if (standing !== 'manager') return 'none';
  if (managedGroups === 'account') return 'managed';
  const group = conversation.operatorId === null ? conversation.groupId : await groupOf(conversation.operatorId);
  return group !== null && managedGroups.has(group) ? 'managed' : 'none';
}

/** The group of an operator, asked for one at a time. */
export function groupsIn({ db }: Pick<Transaction, 'db'>, { accountId }: Caller) {
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

/** For what those who have a conversation and their managers may do. */
export async function requireInvolved(
  tx: Transaction,
  caller: Caller,
  conversation: Conversation,
): Promise<Involvement> {
  requireWrite(caller);
  const what = await involvement(caller, conversation, groupsIn(tx, caller));
  if (what === 'none') throw forbidden();
  return what;
}

/** For what only whoever has a conversation may do. */
export function requireOwn(caller: Caller, conversation: Conversation): void {
  requireWrite(caller);
  if (caller.operatorId === null || conversation.operatorId !== caller.operatorId) throw forbidden();
}

/** A conversation of somebody else answers a visitor like one that does not exist. */
export function requireVisitorsOwn(visitor: VisitorCaller, conversation: Conversation): void {
  if (conversation.visitorId !== visitor.visitorId) throw unknownId('conversation', conversation.id);
}
