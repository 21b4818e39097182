import type { DeskSettings } from '../../access/desk-settings.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Conversation } from '../records/conversation.ts';
import { findInvolvement } from './conversation-access.ts';

type ReadConversation = Pick<Conversation, 'id' | 'state' | 'operatorId' | 'groupId' | 'visitorId'>;

/** What the right to read depends on. Each is looked up only if it decides. */
export interface ReadLookups {
  loadGroupId(operatorId: number): Promise<number | null>;
  loadDeskSettings(): Promise<DeskSettings>;
  /** Whether the caller could serve the conversation, apart from presence and capacity. */
  couldServe(conversationId: number): Promise<boolean>;
  /** Whether the caller has an offered or active conversation with the visitor. */
  servesVisitor(visitorId: number): Promise<boolean>;
}

/**
 * Reading goes further than taking part: with settings of the account, operators and managers also read waiting
 * conversations that they could serve, and the earlier conversations of a visitor while they serve them.
 */
export async function canRead(caller: Caller, conversation: ReadConversation, lookups: ReadLookups): Promise<boolean> {
  if ((await findInvolvement(caller, conversation, lookups.loadGroupId)) !== 'none') return true;
  if (!sharesWork(caller)) return false;
  const { id, state, visitorId } = conversation;
  if (state === 'queued') return (await lookups.loadDeskSettings()).operatorsMayTake && lookups.couldServe(id);
  if (state !== 'closed' || visitorId === null) return false;
  return (await lookups.loadDeskSettings()).shareVisitorHistory && lookups.servesVisitor(visitorId);
}

/** Experts help in their own conversations only. */
export function sharesWork({ accessLevel, operatorId }: Caller): boolean {
  return operatorId !== null && (accessLevel === 'operator' || accessLevel === 'manager');
}
