import type { Conversation } from '../../core/engine/records/conversation.ts';
import { type Caller, requireAdmin, requireOperatorId } from '../../core/kernel/caller.ts';
import { parseId } from '../../core/kernel/ids.ts';
import type { Operator } from '../../core/operators/operator.ts';
import type { Context } from './context.ts';

// Permission checks for `authorize` of mutations. An unknown target is left to the service, which reports it.

export function requireAdminCaller({ caller }: Context): void {
  requireAdmin(caller);
}

/** An API key is not an operator. */
export function requireOperatorCaller({ caller }: Context): void {
  requireOperatorId(caller);
}

/** `id`: the operator, by default the viewer. */
export async function authorizeOnOperator(
  { caller, load }: Context,
  id: string | null | undefined,
  check: (caller: Caller, operator: Operator) => void,
): Promise<void> {
  const operatorId = id === null || id === undefined ? requireOperatorId(caller) : parseId(id);
  const operator = operatorId ? await load.operator.load(operatorId) : undefined;
  if (operator) check(caller, operator);
}

export async function authorizeOnConversation(
  { load }: Context,
  id: string,
  check: (conversation: Conversation) => Promise<void> | void,
): Promise<void> {
  const conversationId = parseId(id);
  const conversation = conversationId ? await load.conversations.byId.load(conversationId) : undefined;
  if (conversation) await check(conversation);
}
