import { requireOwnConversation } from '../../core/engine/conversations/conversation-access.ts';
import type { Conversation } from '../../core/engine/records/conversation.ts';
import { type Caller, requireAdmin, requireOperatorId, requireWrite } from '../../core/kernel/caller.ts';
import { unknownId } from '../../core/kernel/errors.ts';
import { parseId } from '../../core/kernel/ids.ts';
import { type PermissionSubject, requireForAnyOperator } from '../../core/operators/permissions.ts';
import type { IdLoader } from '../graphql-server/id-loader.ts';
import type { Context } from './context.ts';

// Permission checks for `authorize` of mutations.

export function requireAdminCaller({ caller }: Context): void {
  requireAdmin(caller);
}

/** An API key is not an operator. */
export function requireOperatorCaller({ caller }: Context): void {
  requireOperatorId(caller);
}

/**
 * `id`: the operator, by default the viewer. An unknown one is reported before anything else in the input, but only to
 * callers who could make the change to some operator.
 */
export async function authorizeOnOperator(
  { caller, load }: Context,
  id: string | null | undefined,
  check: (caller: Caller, operator: PermissionSubject) => void,
): Promise<void> {
  const operatorId = id === null || id === undefined ? requireOperatorId(caller) : parseId(id);
  const operator = await loadCurrent(load.operator, operatorId);
  if (operator) return check(caller, operator);
  requireForAnyOperator(caller, check);
  throw unknownId('operator', operatorId ?? String(id));
}

export async function authorizeOnConversation(
  { caller, load }: Context,
  id: string,
  check: (conversation: Conversation) => Promise<void> | void,
): Promise<void> {
  requireWrite(caller);
  const conversationId = parseId(id);
  const conversation = await loadCurrent(load.conversations.byId, conversationId);
  if (!conversation) throw unknownId('conversation', conversationId ?? id);
  await check(conversation);
}

/** Throws unless the caller is the conversation's operator. */
export function requireHandling(context: Context, id: string): Promise<void> {
  requireOperatorCaller(context);
  return authorizeOnConversation(context, id, (conversation) => requireOwnConversation(context.caller, conversation));
}

/** An earlier mutation of the request may have changed what is cached. */
async function loadCurrent<T>(loader: IdLoader<T>, id: number | undefined): Promise<T | undefined> {
  return id === undefined ? undefined : loader.clear(id).load(id);
}
