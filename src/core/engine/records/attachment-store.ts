import { type Selectable, sql } from 'kysely';
import type { Database, Transaction } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import type { Tables } from '../../../storage/tables.ts';
import type { AccountContext, ActorContext } from '../../kernel/caller.ts';
import { nextId } from '../../kernel/ids.ts';
import { selectConversationIds } from './conversation-store.ts';

export type Attachment = Selectable<Tables['attachments']>;

export interface AttachmentKey {
  readonly accountId: number;
  readonly id: number;
}

/** Takes space of the account for a new file, in one statement. Returns false if there is not enough. */
export async function reserveSpace(
  { db }: Transaction,
  { accountId }: AccountContext,
  { bytes, limit }: { readonly bytes: number; readonly limit: number },
): Promise<boolean> {
  await db
    .insertInto('attachmentUsage')
    .values({ accountId, bytes: 0 })
    .onConflict((conflict) => conflict.column('accountId').doNothing())
    .execute();
  const { numUpdatedRows } = await db
    .updateTable('attachmentUsage')
    .set((eb) => ({ bytes: eb('bytes', '+', bytes) }))
    .where('accountId', '=', accountId)
    .where('bytes', '<=', limit - bytes)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function releaseSpace({ db }: Transaction, { accountId }: AccountContext, bytes: number): Promise<void> {
  await db
    .updateTable('attachmentUsage')
    .set((eb) => ({ bytes: eb('bytes', '-', bytes) }))
    .where('accountId', '=', accountId)
    .execute();
}

/** Inserts an attachment whose bytes are about to arrive, and for which space was reserved. */
export async function insertPending(
  tx: Transaction,
  { accountId }: ActorContext,
  input: Pick<Attachment, 'conversationId' | 'authorType' | 'authorId' | 'reserved'>,
): Promise<number> {
  const id = await nextId(tx, accountId, 'attachment');
  const empty = { name: '', kind: '', size: 0, chunks: 0, width: null, height: null, sequence: null, place: 0 };
  await tx.db
    .insertInto('attachments')
    .values({ accountId, id, ...input, ...empty, state: 'pending', createdAt: tx.now })
    .execute();
  return id;
}

const addToSize = prepare<AttachmentKey & { length: number; number: number }, { id: number }>((db, args) =>
  db
    .updateTable('attachments')
    .set((eb) => ({ size: eb('size', '+', args.length), chunks: eb('chunks', '+', 1) }))
    .where('accountId', '=', args.accountId)
    .where('id', '=', args.id)
    .where('chunks', '=', args.number)
    .where('state', '=', 'pending')
    .returning('id'),
);

const insertChunk = prepare<Tables['attachmentChunks']>((db, row) => db.insertInto('attachmentChunks').values(row));

/**
 * Appends a chunk. Returns false if the attachment was removed in the meantime. Needs no account lock: the update locks
 * the row of the attachment, so a chunk is never added to a removed one.
 */
export async function appendChunk(
  tx: Transaction,
  { accountId, id }: AttachmentKey,
  { number, bytes }: { readonly number: number; readonly bytes: Uint8Array },
): Promise<boolean> {
  const updated = await tx.run(addToSize, { accountId, id, number, length: bytes.length });
  if (updated.length === 0) return false;
  tx.send(insertChunk, { accountId, attachmentId: id, number, bytes });
  return true;
}

/** Ends an upload: the space that was reserved becomes the size. Undefined if it was removed in the meantime. */
export async function completeAttachment(
  tx: Transaction,
  context: AccountContext,
  { id, ...details }: Pick<Attachment, 'id' | 'name' | 'kind' | 'width' | 'height'>,
): Promise<Attachment | undefined> {
  const pending = await lockAttachment(tx, { accountId: context.accountId, id }, ['pending']);
  if (!pending) return undefined;
  const row = { ...pending, ...details, state: 'complete', reserved: pending.size } as const;
  const { state, reserved } = row;
  await tx.db
    .updateTable('attachments')
    .set({ ...details, state, reserved })
    .where('accountId', '=', context.accountId)
    .where('id', '=', id)
    .execute();
  await releaseSpace(tx, context, pending.reserved - reserved);
  return row;
}

/** Updates nothing, which locks the row until the commit, on every database. */
async function lockAttachment(
  { db }: Transaction,
  { accountId, id }: AttachmentKey,
  states: readonly Attachment['state'][],
): Promise<Attachment | undefined> {
  return db
    .updateTable('attachments')
    .set((eb) => ({ state: eb.ref('state') }))
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('state', 'in', states)
    .returningAll()
    .executeTakeFirst();
}

const attach = prepare<AttachmentKey & { sequence: number; place: number }>((db, args) =>
  db
    .updateTable('attachments')
    .set({ state: 'attached', sequence: args.sequence, place: args.place })
    .where('accountId', '=', args.accountId)
    .where('id', '=', args.id),
);

/** Makes complete attachments that were read in this transaction part of a message, in the given order. */
export function attachToMessage(
  tx: Transaction,
  { accountId }: AccountContext,
  sequence: number,
  ids: readonly number[],
): void {
  for (const [place, id] of ids.entries()) tx.send(attach, { accountId, id, sequence, place });
}

/** Counts the attachments of an author in a conversation that are not part of a message. */
export async function countUnsent(
  { db }: Transaction,
  { accountId }: AccountContext,
  { conversationId, authorType, authorId }: Pick<Attachment, 'conversationId' | 'authorType' | 'authorId'>,
): Promise<number> {
  const { count } = await db
    .selectFrom('attachments')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('accountId', '=', accountId)
    .where('conversationId', '=', conversationId)
    .where('sequence', 'is', null)
    .where('authorType', '=', authorType)
    .where('authorId', '=', authorId)
    .where('state', '<>', 'removed')
    .executeTakeFirstOrThrow();
  return count;
}

/** Gives the attachments of a visitor, in conversations that were moved, to the visitor who has these now. */
export async function moveAttachments(
  tx: Transaction,
  context: ActorContext,
  fromVisitorId: number,
  toVisitorId: number,
): Promise<void> {
  await tx.db
    .updateTable('attachments')
    .set({ authorId: toVisitorId })
    .where('accountId', '=', context.accountId)
    .where('conversationId', 'in', selectConversationIds(tx, context, toVisitorId))
    .where('authorType', '=', 'visitor')
    .where('authorId', '=', fromVisitorId)
    .execute();
}

/**
 * Removes the attachments in a visitor's conversations: they can no longer be read, and their names are gone at once.
 * `deleteUnused` deletes the bytes.
 */
export async function eraseAttachments(tx: Transaction, context: ActorContext, visitorId: number): Promise<void> {
  await tx.db
    .updateTable('attachments')
    .set({ state: 'removed', name: '' })
    .where('accountId', '=', context.accountId)
    .where('conversationId', 'in', selectConversationIds(tx, context, visitorId))
    .execute();
}

/** At most 5 MiB per transaction, because other writers wait. */
const CHUNKS_PER_BATCH = 20;

/** Deletes the chunks of an attachment in batches, and then its row together with the space that it takes. */
export async function deleteAttachment(database: Database, { accountId, id }: AttachmentKey): Promise<void> {
  await database.transaction(({ db }) =>
    db
      .updateTable('attachments')
      .set({ state: 'removed', name: '' })
      .where('accountId', '=', accountId)
      .where('id', '=', id)
      .where('state', '<>', 'attached')
      .execute(),
  );
  while (!(await database.transaction((tx) => deleteBatch(tx, { accountId, id }))));
}

/** Returns true after the last batch. */
async function deleteBatch(tx: Transaction, key: AttachmentKey): Promise<boolean> {
  const removed = await lockAttachment(tx, key, ['removed']);
  if (!removed) return true;
  await tx.db
    .deleteFrom('attachmentChunks')
    .where('accountId', '=', key.accountId)
    .where('attachmentId', '=', key.id)
    .where('number', '>=', removed.chunks - CHUNKS_PER_BATCH)
    .execute();
  const chunks = Math.max(0, removed.chunks - CHUNKS_PER_BATCH);
  if (chunks === 0) {
    await tx.db.deleteFrom('attachments').where('accountId', '=', key.accountId).where('id', '=', key.id).execute();
    await releaseSpace(tx, key, removed.reserved);
    return true;
  }
  const size = await sumChunks(tx, key);
  await tx.db
    .updateTable('attachments')
    .set({ chunks, size })
    .where('accountId', '=', key.accountId)
    .where('id', '=', key.id)
    .execute();
  return false;
}

/** Keeps the size equal to the chunks that are left, as `doctor` expects. */
async function sumChunks({ db }: Transaction, { accountId, id }: AttachmentKey): Promise<number> {
  const { size } = await db
    .selectFrom('attachmentChunks')
    .select(sql<number>`coalesce(sum(length(bytes)), 0)`.as('size'))
    .where('accountId', '=', accountId)
    .where('attachmentId', '=', id)
    .executeTakeFirstOrThrow();
  return size;
}

const ROWS_PER_READ = 100;

/** Deletes removed attachments, and those that were not sent in time, until none is left. */
export async function deleteUnused(database: Database, maxAgeMs: number, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const rows = await database.read
      .selectFrom('attachments')
      .select(['accountId', 'id'])
      .where('state', '<>', sql.lit('attached' as const)) // as in the index
      .where((eb) =>
        eb.or([
          eb('state', '=', 'removed'),
          eb('createdAt', '<', eb(eb.fn<number>('now_ms', []), '-', sql<number>`${maxAgeMs}`)),
        ]),
      )
      .limit(ROWS_PER_READ)
      .execute();
    for (const row of rows) {
      if (signal?.aborted) return;
      await deleteAttachment(database, row);
    }
    if (rows.length < ROWS_PER_READ) return;
  }
}
