import type { Database } from '../../storage/database.ts';
import {
  type Attachment,
  type AttachmentKey,
  appendChunk,
  completeAttachment,
  deleteAttachment,
} from '../engine/records/attachment-store.ts';
import { DomainError } from '../kernel/errors.ts';
import type { FileKind } from '../kernel/file-kinds.ts';
import { toChunks } from './chunks.ts';
import { type ClaimedFile, ContentCheck, RefusedFile } from './content-check.ts';
import { cleanName } from './file-name.ts';

/** One file that is being uploaded, for which a row exists and space is reserved. */
export class Upload {
  readonly #database: Database;
  readonly #key: AttachmentKey;
  readonly #allowed: readonly FileKind[];
  #check: ContentCheck | undefined;
  #name: string | undefined;

  constructor(database: Database, key: AttachmentKey, allowed: readonly FileKind[]) {
    this.#database = database;
    this.#key = key;
    this.#allowed = allowed;
  }

  /** Stores the bytes while they arrive: each chunk is checked, and stored before the next one is read. */
  async write(pieces: AsyncIterable<Buffer>, claimed: ClaimedFile): Promise<void> {
    this.#name = claimed.name;
    let number = 0;
    for await (const chunk of toChunks(pieces)) {
      this.#check ??= await ContentCheck.start(chunk, claimed, this.#allowed);
      this.#check.add(chunk, this.#allowed);
      const part = { number, bytes: chunk };
      const isStored = await this.#database.transaction((tx) => appendChunk(tx, this.#key, part));
      if (!isStored) throw removedError();
      number += 1;
    }
  }

  async complete(): Promise<Attachment> {
    if (!this.#check) throw new RefusedFile('The file is empty.');
    const size = this.#check.finish(this.#allowed);
    const { accountId, id } = this.#key;
    const details = { width: size?.width ?? null, height: size?.height ?? null };
    const { kind } = this.#check;
    const attachment = await this.#database.transaction(
      (tx) => completeAttachment(tx, this.#key, { id, name: cleanName(this.#name, kind), kind: kind.type, ...details }),
      accountId,
    );
    if (!attachment) throw removedError();
    return attachment;
  }

  /** Deletes what was stored. What a failure leaves is deleted an hour later. */
  async discard(): Promise<void> {
    await deleteAttachment(this.#database, this.#key);
  }
}

/** The visitor's data was erased, or the upload took longer than unsent files are kept. */
function removedError(): DomainError {
  return new DomainError('state', 'The file was removed while it was being uploaded.');
}
