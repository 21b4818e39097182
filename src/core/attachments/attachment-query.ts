import { sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import type { Tables } from '../../storage/tables.ts';
import type { MessageKey } from '../engine/conversations/message-query.ts';
import type { Attachment, AttachmentKey } from '../engine/records/attachment-store.ts';

/** What the history shows of an attachment. */
export type FileName = Pick<Attachment, 'id' | 'name' | 'conversationId' | 'sequence'>;

/** An attachment with the database's time when it was read. */
export type ReadAttachment = Attachment & { readonly now: number };

const findAttached = prepare<AttachmentKey, ReadAttachment>((db, { accountId, id }) =>
  db
    .selectFrom('attachments')
    .selectAll()
    .select((eb) => eb.fn<number>('now_ms', []).as('now'))
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('state', '=', 'attached'),
);

type ChunkKey = Omit<Tables['attachmentChunks'], 'bytes'>;

const findChunk = prepare<ChunkKey, { bytes: Uint8Array }>((db, { accountId, attachmentId, number }) =>
  db
    .selectFrom('attachmentChunks')
    .select('bytes')
    .where('accountId', '=', accountId)
    .where('attachmentId', '=', attachmentId)
    .where('number', '=', number),
);

/** Reads attachments that are part of a message. Checks no permissions. */
export class AttachmentQuery {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find(accountId: number, id: number): Promise<ReadAttachment | undefined> {
    return (await this.#database.run(findAttached, { accountId, id }))[0];
  }

  /** The attachments of each message, in order, with one statement: a condition for each conversation. */
  async loadByMessages(accountId: number, messages: readonly MessageKey[]): Promise<ReadAttachment[][]> {
    if (messages.length === 0) return [];
    const ranges = [...Map.groupBy(messages, ({ conversationId }) => conversationId)].map(([conversationId, keys]) => {
      const sequences = keys.map(({ sequence }) => sequence);
      return { conversationId, first: Math.min(...sequences), last: Math.max(...sequences) };
    });
    const rows = await this.#database.read
      .selectFrom('attachments')
      .selectAll()
      .select((eb) => eb.fn<number>('now_ms', []).as('now'))
      .where('accountId', '=', accountId)
      .where((eb) =>
        eb.or(
          ranges.map(({ conversationId, first, last }) =>
            eb.and([
              eb('conversationId', '=', conversationId),
              eb('sequence', '>=', first),
              eb('sequence', '<=', last),
            ]),
          ),
        ),
      )
      .where('state', '=', sql.lit('attached' as const))
      .orderBy('conversationId')
      .orderBy('sequence')
      .orderBy('place')
      .execute();
    const byMessage = Map.groupBy(rows, ({ conversationId, sequence }) => `${conversationId} ${sequence}`);
    return messages.map(({ conversationId, sequence }) => byMessage.get(`${conversationId} ${sequence}`) ?? []);
  }

  /** The names of all attachments of each conversation, in the order of the messages. */
  async loadNames(
    accountId: number,
    conversationIds: readonly number[],
  ): Promise<ReadonlyMap<number, readonly FileName[]>> {
    if (conversationIds.length === 0) return new Map();
    const rows = await this.#database.read
      .selectFrom('attachments')
      .select(['id', 'name', 'conversationId', 'sequence'])
      .where('accountId', '=', accountId)
      .where('conversationId', 'in', conversationIds)
      .where('state', '=', sql.lit('attached' as const))
      .orderBy('conversationId')
      .orderBy('sequence')
      .orderBy('place')
      .execute();
    return Map.groupBy(rows, ({ conversationId }) => conversationId);
  }

  /** Yields the bytes chunk by chunk; the next one is read when the last one is dealt with. */
  async *read({ accountId, id, chunks }: Attachment): AsyncGenerator<Uint8Array> {
    for (let number = 0; number < chunks; number += 1) {
      const [chunk] = await this.#database.run(findChunk, { accountId, attachmentId: id, number });
      if (!chunk) throw new Error(`Attachment ${id} of account ${accountId} was removed while it was being read.`);
      yield chunk.bytes;
    }
  }
}
