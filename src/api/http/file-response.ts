import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toNetwork } from '../../core/access/networks.ts';
import type { AttachmentQuery } from '../../core/attachments/attachment-query.ts';
import type { Attachment } from '../../core/engine/records/attachment-store.ts';
import { DomainError } from '../../core/kernel/errors.ts';
import { findKind } from '../../core/kernel/file-kinds.ts';
import type { Slots } from '../../core/kernel/slots.ts';
import { renderDisposition } from './content-disposition.ts';

/** A download that takes longer is ended, however slowly the client reads. */
const MAX_DOWNLOAD_MS = 600_000;
const RETRY_AFTER_SECONDS = 1;

export interface FileSource {
  readonly query: Pick<AttachmentQuery, 'read'>;
  readonly downloadSlots: Slots;
}

/**
 * Sends a file chunk by chunk, as fast as the client reads. Whatever the file contains, a browser neither guesses
 * another type nor runs anything in it.
 */
export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: Attachment,
  { query, downloadSlots }: FileSource,
): FastifyReply {
  const etag = `"${file.accountId}-${file.id}"`; // the bytes never change
  reply.headers({
    'content-type': file.kind === 'text/plain' ? 'text/plain; charset=utf-8' : file.kind,
    'content-disposition': renderDisposition(findKind(file.kind)?.isImage ? 'inline' : 'attachment', file.name),
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
    etag,
  });
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  reply.header('content-length', file.size);
  if (request.method === 'HEAD') return reply.send();
  const release = downloadSlots.take(toNetwork(request.ip));
  if (typeof release === 'string') throw tooManyDownloads(reply, release);
  const stream = Readable.from(query.read(file), { objectMode: false });
  const deadline = setTimeout(() => stream.destroy(new Error('The download took too long.')), MAX_DOWNLOAD_MS);
  // Emitted in every case: after the last byte, after an error, and when the client leaves.
  stream.once('close', () => {
    clearTimeout(deadline);
    release();
  });
  return reply.send(stream);
}

function tooManyDownloads(reply: FastifyReply, limit: 'key' | 'total'): DomainError {
  const headers = ['content-type', 'content-disposition', 'content-length', 'etag'];
  for (const name of headers) reply.removeHeader(name);
  const kind = limit === 'key' ? 'limited' : 'unavailable';
  const details = { retryAfterSeconds: RETRY_AFTER_SECONDS };
  return new DomainError(kind, 'Too many downloads at the same time. Try again later.', details);
}
