import type { Transaction } from '../../../storage/database.ts';
import { announce, computeChanges } from '../../events/announce.ts';
import type { ActorContext } from '../../kernel/caller.ts';
import { DomainError } from '../../kernel/errors.ts';
import { nextId } from '../../kernel/ids.ts';
import {
  type CannedReply,
  type CannedReplyContent,
  type CannedReplyOwner,
  getReplyKey,
  MAX_REPLIES_OF_GROUPS,
  MAX_REPLIES_PER_OWNER,
} from './canned-reply.ts';
import { countRepliesOfGroups, deleteReply, insertReply, updateReply } from './canned-reply-store.ts';

/** Operators may have written personal things into their replies. */
const HIDDEN_FIELDS: ReadonlySet<string> = new Set(['shortcut', 'text']);

export async function createReply(
  tx: Transaction,
  context: ActorContext,
  owner: CannedReplyOwner,
  content: CannedReplyContent,
): Promise<CannedReply> {
  const reply = { id: await nextId(tx, context.accountId, 'canned_reply'), owner, ...content, updatedAt: tx.now };
  insertReply(tx, context, reply);
  announceReply(tx, context, 'created', {}, reply);
  return reply;
}

/** Returns whether anything changed. */
export function saveReply(tx: Transaction, context: ActorContext, before: CannedReply, after: CannedReply): boolean {
  const { fields } = computeChanges(eventSnapshot(before), eventSnapshot(after));
  if (fields.length === 0) return false;
  updateReply(tx, context, { ...after, updatedAt: tx.now });
  announceReply(tx, context, 'updated', eventSnapshot(before), after);
  return true;
}

export async function removeReply(tx: Transaction, context: ActorContext, reply: CannedReply): Promise<void> {
  await deleteReply(tx, context, reply.id);
  const values = describeOwner(reply.owner);
  announce(tx, context, 'canned_reply.deleted', reply.id, { fields: [], values });
}

/** Throws if another of the owner's replies has the same shortcut and language. */
export function requireFreeShortcut(
  existing: readonly CannedReply[],
  reply: CannedReplyContent & { id?: number },
): void {
  const key = getReplyKey(reply);
  if (!existing.some((other) => other.id !== reply.id && getReplyKey(other) === key)) return;
  const rule = 'is already used by another reply of the same owner and language';
  throw new DomainError('conflict', 'The shortcut is already used.', {
    problems: [{ path: ['shortcut'], code: 'invalid', rule }],
  });
}

/** Throws if the owner, or all groups together, would have too many replies. */
export async function requireRoom(
  tx: Transaction,
  context: ActorContext,
  owner: CannedReplyOwner,
  { existing, added }: { existing: number; added: number },
): Promise<void> {
  if (added === 0) return;
  if (existing + added > MAX_REPLIES_PER_OWNER) {
    throw tooMany('An operator, a group and the account can have', MAX_REPLIES_PER_OWNER, 'each');
  }
  if (owner.scope !== 'group') return;
  if ((await countRepliesOfGroups(tx, context)) + added > MAX_REPLIES_OF_GROUPS) {
    throw tooMany('The groups of an account can have', MAX_REPLIES_OF_GROUPS, 'together');
  }
}

function tooMany(subject: string, maximum: number, each: string): DomainError {
  const message = `${subject} at most ${maximum} canned replies ${each}. Delete some first.`;
  return new DomainError('limit', message, { parameters: { maximum: String(maximum) } });
}

/** The event always names the owner: desks follow the replies of their operator by it. */
function announceReply(
  tx: Transaction,
  context: ActorContext,
  verb: 'created' | 'updated',
  before: object,
  reply: CannedReply,
): void {
  const { fields, values } = computeChanges(before, eventSnapshot(reply), HIDDEN_FIELDS);
  announce(tx, context, `canned_reply.${verb}`, reply.id, {
    fields,
    values: { ...values, ...describeOwner(reply.owner) },
  });
}

function eventSnapshot({ owner, shortcut, text, language }: CannedReply) {
  return { ...describeOwner(owner), shortcut, text, language };
}

function describeOwner({ scope, id }: CannedReplyOwner) {
  return { scope, operatorId: scope === 'own' ? id : null, groupId: scope === 'group' ? id : null };
}
