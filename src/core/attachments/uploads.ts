import type { Database, Transaction } from '../../storage/database.ts';
import { toNetwork } from '../access/networks.ts';
import type { RateLimits } from '../access/rate-limits.ts';
import { parseWidget, resolveWidget } from '../directory/widget.ts';
import { requireOwnConversation, requireVisitorConversation } from '../engine/conversations/conversation-access.ts';
import { conversationClosedError } from '../engine/conversations/messages.ts';
import { type Attachment, countUnsent, insertPending, reserveSpace } from '../engine/records/attachment-store.ts';
import { type Conversation, wrongState } from '../engine/records/conversation.ts';
import { requireConversation } from '../engine/records/conversation-store.ts';
import { type Caller, identifyCaller, requireWrite, type VisitorCaller } from '../kernel/caller.ts';
import { DomainError } from '../kernel/errors.ts';
import { listAllowedKinds } from '../kernel/file-kinds.ts';
import { Slots } from '../kernel/slots.ts';
import { Upload } from './upload.ts';

export interface UploadLimits {
  /** Of one file. */
  readonly maxBytes: number;
  /** Of all files of an account. */
  readonly accountBytes: number;
  /** Per minute; 0 means no limit. */
  readonly perUploader: number;
  readonly perAddress: number;
  /** Uploads that run at the same time from one address, on one node. */
  readonly atOncePerAddress: number;
}

export type Uploader = Caller | VisitorCaller;

const MAX_AT_ONCE = 200;
/** Files of one author in a conversation that are not part of a message: more than anyone needs to prepare one. */
const MAX_UNSENT = 20;
const RETRY_AFTER_SECONDS = 5;

/** Takes files from visitors, operators and integrations, within limits. */
export class Uploads {
  readonly limits: UploadLimits;
  readonly #database: Database;
  readonly #rates: RateLimits;
  readonly #slots: Slots;

  constructor(database: Database, rates: RateLimits, limits: UploadLimits) {
    this.limits = limits;
    this.#database = database;
    this.#rates = rates;
    this.#slots = new Slots({ total: MAX_AT_ONCE, perKey: limits.atOncePerAddress });
  }

  /** Call before reading the file. Returns a function to call at its end. */
  async admit(uploader: Uploader, address: string): Promise<() => void> {
    const network = toNetwork(address);
    const release = this.#slots.take(network);
    if (release === 'key') throw tooMany('limited', 'Too many uploads at the same time from this address.');
    if (release === 'total') throw tooMany('unavailable', 'Too many uploads at the same time.');
    try {
      const { perAddress, perUploader } = this.limits;
      await this.#rates.admit(
        [
          { subject: `uploads ${network}`, limit: perAddress },
          { subject: `uploads of ${identifyCaller(uploader)}`, limit: perUploader },
        ],
        'Too many uploads. Try again later.',
      );
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Checks that the uploader may write in the conversation, and reserves space before the first byte is read. */
  async begin(
    uploader: Uploader,
    input: { readonly conversationId: number; readonly expectedBytes: number | undefined },
  ): Promise<Upload> {
    const { accountId } = uploader;
    const { maxBytes, accountBytes } = this.limits;
    const reserved = Math.min(input.expectedBytes ?? maxBytes, maxBytes);
    return this.#database.transaction(async (tx) => {
      const conversation = await requireConversation(tx, accountId, input.conversationId);
      requireWritable(uploader, conversation);
      if ('visitorId' in uploader) await requireFilesOn(tx, conversation);
      const author = { conversationId: conversation.id, ...toAuthor(uploader) };
      if ((await countUnsent(tx, uploader, author)) >= MAX_UNSENT)
        throw new DomainError('limit', `Send the files first: at most ${MAX_UNSENT} can wait in a conversation.`);
      if (!(await reserveSpace(tx, uploader, { bytes: reserved, limit: accountBytes })))
        throw new DomainError('limit', 'The account has no space left for files.');
      const id = await insertPending(tx, uploader, { ...author, reserved });
      return new Upload(this.#database, { accountId, id }, await readAllowedKinds(tx, accountId));
    }, accountId);
  }
}

/** The same rules as for a message. An integration can prepare files in every conversation of its account. */
function requireWritable(uploader: Uploader, conversation: Conversation): void {
  if ('visitorId' in uploader) requireVisitorConversation(uploader, conversation);
  else if (uploader.operatorId === null) requireWrite(uploader);
  else requireOwnConversation(uploader, conversation);
  if (conversation.state === 'closed') throw conversationClosedError();
  const isOffer = conversation.state === 'offered' && 'operatorId' in uploader && uploader.operatorId !== null;
  if (isOffer) throw wrongState('Accept the offer before you write.');
}

/** The website can turn the files of visitors off. */
async function requireFilesOn({ db }: Transaction, { accountId, websiteId }: Conversation): Promise<void> {
  const website = await db
    .selectFrom('websites')
    .select('widget')
    .where('accountId', '=', accountId)
    .where('id', '=', websiteId)
    .executeTakeFirst();
  if (website && !resolveWidget(parseWidget(website.widget)).attachments)
    throw wrongState('This website takes no files.');
}

function toAuthor(uploader: Uploader): Pick<Attachment, 'authorType' | 'authorId'> {
  if ('visitorId' in uploader) return { authorType: 'visitor', authorId: uploader.visitorId };
  if (uploader.operatorId !== null) return { authorType: 'operator', authorId: uploader.operatorId };
  return { authorType: 'api_key', authorId: uploader.actor.id };
}

async function readAllowedKinds({ db }: Transaction, accountId: number) {
  const { attachmentKinds } = await db
    .selectFrom('accounts')
    .select('attachmentKinds')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  return listAllowedKinds(JSON.parse(attachmentKinds) as string[]);
}

function tooMany(kind: 'limited' | 'unavailable', message: string): DomainError {
  return new DomainError(kind, `${message} Try again later.`, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
