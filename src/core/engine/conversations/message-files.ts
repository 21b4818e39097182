import type { Transaction } from '../../../storage/database.ts';
import type { AccountContext } from '../../kernel/caller.ts';
import { invalidField } from '../../kernel/errors.ts';
import type { Message } from '../records/message-store.ts';

export const MAX_ATTACHMENTS = 10;

/**
 * Checks that all attachments can be sent with this message: uploaded completely for this conversation by its author
 * (or by an integration, for the operator to send), and not sent yet. Others are treated as unknown.
 */
export async function findSendable(
  { db }: Transaction,
  { accountId }: AccountContext,
  { authorType, authorId }: Pick<Message, 'authorType' | 'authorId'>,
  {
    conversationId,
    attachmentIds = [],
  }: { readonly conversationId: number; readonly attachmentIds?: readonly number[] },
): Promise<readonly number[]> {
  if (attachmentIds.length === 0) return [];
  const rows = await db
    .selectFrom('attachments')
    .select(['id', 'authorType', 'authorId'])
    .where('accountId', '=', accountId)
    .where('id', 'in', attachmentIds)
    .where('conversationId', '=', conversationId)
    .where('state', '=', 'complete')
    .execute();
  const sendable = rows.filter(
    (row) =>
      (row.authorType === authorType && row.authorId === authorId) ||
      (row.authorType === 'api_key' && authorType === 'operator'),
  );
  const isComplete = sendable.length === attachmentIds.length && new Set(attachmentIds).size === attachmentIds.length;
  if (!isComplete || attachmentIds.length > MAX_ATTACHMENTS)
    throw invalidField(
      'attachmentIds',
      `must be at most ${MAX_ATTACHMENTS} different attachments that you uploaded for this conversation and have not sent yet`,
    );
  return attachmentIds;
}

/** The attachments of a message, in order. */
export async function findSentIds({ db }: Transaction, message: Message): Promise<number[]> {
  const rows = await db
    .selectFrom('attachments')
    .select('id')
    .where('accountId', '=', message.accountId)
    .where('conversationId', '=', message.conversationId)
    .where('sequence', '=', message.sequence)
    .orderBy('place')
    .execute();
  return rows.map(({ id }) => id);
}
