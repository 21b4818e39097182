import type { IncomingMessage } from 'node:http';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { RefusedFile } from '../../core/attachments/content-check.ts';
import type { Upload } from '../../core/attachments/upload.ts';
import type { Uploader, Uploads } from '../../core/attachments/uploads.ts';
import type { Attachment } from '../../core/engine/records/attachment-store.ts';
import { unknownId } from '../../core/kernel/errors.ts';
import { findKind } from '../../core/kernel/file-kinds.ts';
import { parseId } from '../../core/kernel/ids.ts';
import { type Credential, readCredential } from '../http/credential.ts';
import { HttpError } from '../http/http-error.ts';
import { rejectOtherMethods } from '../http/methods.ts';
import { exemptFromRequestTimeout } from '../http/slow-bodies.ts';
import { NO_STORE, unauthenticatedError } from './errors.ts';
import { sendUnauthenticated } from './http.ts';

export interface UploadEndpoint {
  readonly path: string;
  readonly uploads: Uploads;
  readonly acceptsApiKeys: boolean;
  /** Reads the session of a browser from its cookie, where sessions are accepted and there is no other credential. */
  readSession?(request: IncomingMessage): Credential | undefined;
  /** Deadline for the whole request. */
  readonly timeoutMs: number;
  authenticate(credential: Credential, request: FastifyRequest): Promise<Uploader | undefined>;
}

/** Boundaries, headers and fields beside the file. */
const FORM_BYTES = 64 * 1024;
const FORM_LIMITS = { files: 1, fields: 4, parts: 5, fieldNameSize: 100, fieldSize: 100, headerPairs: 20 };
/** How long the rest of a refused file is read, so that the client reads the answer instead of losing the connection. */
const DRAIN_MS = 10_000;

/** Serves `POST` of one file as `multipart/form-data`. */
export function serveUploads(app: FastifyInstance, endpoint: UploadEndpoint): void {
  const { path, uploads } = endpoint;
  const { maxBytes } = uploads.limits;
  app.register(async (scope) => {
    await scope.register(multipart, { limits: { ...FORM_LIMITS, fileSize: maxBytes }, throwFileSizeLimit: false });
    scope.post(path, async (request, reply) => {
      const credential = readCredential(request, endpoint.acceptsApiKeys) ?? endpoint.readSession?.(request.raw);
      const uploader = credential && (await endpoint.authenticate(credential, request));
      if (!uploader)
        return sendUnauthenticated(reply, credential, unauthenticatedError(credential, endpoint.acceptsApiKeys));
      if (!request.isMultipart()) throw new HttpError(415, 'The body must be multipart/form-data with a file.');
      if (Number(request.headers['content-length'] ?? 0) > maxBytes + FORM_BYTES) throw tooLarge(maxBytes);
      const release = await uploads.admit(uploader, request.ip);
      const received = receive(request, uploader, uploads).finally(release);
      return sendAttachment(reply, await withDeadline(received, request, reply, endpoint.timeoutMs));
    });
    rejectOtherMethods(scope, path, 'POST, OPTIONS', 'Method not allowed: use POST.');
  });
}

/** Reads the form and stores the file while it arrives. Deletes what was stored unless everything was valid. */
async function receive(request: FastifyRequest, uploader: Uploader, uploads: Uploads): Promise<Attachment> {
  const restoreTimeout = exemptFromRequestTimeout(request.socket);
  let upload: Upload | undefined;
  try {
    let conversationId: number | undefined;
    request.log = request.log.child({}, { level: 'info' }); // the plugin would log the headers at level trace
    for await (const part of request.parts()) {
      if (part.type === 'field') {
        if (part.fieldname === 'conversationId') conversationId = requireConversationId(part.value);
        continue;
      }
      if (conversationId === undefined) throw new HttpError(400, 'conversationId must be sent before the file.');
      upload = await uploads.begin(uploader, { conversationId, expectedBytes: readExpectedBytes(request) });
      await upload.write(part.file, { name: part.filename, type: part.mimetype });
      if (part.file.truncated) throw tooLarge(uploads.limits.maxBytes);
    }
    if (!upload) throw new HttpError(400, 'The form must have the field conversationId and then a file.');
    return await upload.complete();
  } catch (error) {
    await upload?.discard().catch(() => undefined); // a background job deletes it later
    throw toUploadError(error, request);
  } finally {
    restoreTimeout();
    drain(request);
  }
}

function readExpectedBytes({ headers }: FastifyRequest): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

function requireConversationId(value: unknown): number {
  const id = parseId(String(value));
  if (id === undefined) throw unknownId('conversation', String(value));
  return id;
}

/** After the deadline, the work ends with the request. */
async function withDeadline<T>(
  work: Promise<T>,
  request: FastifyRequest,
  reply: FastifyReply,
  timeoutMs: number,
): Promise<T> {
  const { promise: deadline, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reply.header('connection', 'close');
    // A request that was answered gets no error when its connection is closed: reading it would never end.
    reply.raw.once('close', () => request.raw.destroy());
    reject(new HttpError(408, 'The upload took too long.'));
  }, timeoutMs);
  work.catch(() => undefined);
  return Promise.race([work, deadline]).finally(() => clearTimeout(timer));
}

/** The form's parser would wait for a reader of the file for ever, and the connection's next request with it. */
function drain({ raw }: FastifyRequest): void {
  if (raw.readableEnded || raw.destroyed) return;
  raw.unpipe().resume();
  const timer = setTimeout(() => raw.destroy(), DRAIN_MS);
  raw.once('close', () => clearTimeout(timer));
}

function sendAttachment(reply: FastifyReply, { id, name, size, kind, width, height }: Attachment): FastifyReply {
  const isImage = findKind(kind)?.isImage === true;
  return reply
    .code(201)
    .headers({ ...NO_STORE, 'content-type': 'application/json; charset=utf-8' })
    .send(JSON.stringify({ id: String(id), name, size, kind, isImage, width, height }));
}

function tooLarge(maxBytes: number): HttpError {
  return new HttpError(413, `The file is too large: at most ${maxBytes / 1e6} MB.`);
}

/** Errors of the form have a code of the plugin, or come from its parser without one. */
function toUploadError(error: unknown, { raw }: FastifyRequest): unknown {
  if (error instanceof RefusedFile) return new HttpError(415, error.message);
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (code === 'FST_FILES_LIMIT') return new HttpError(400, 'The form must have one file.');
  if (code === 'FST_PARTS_LIMIT' || code === 'FST_FIELDS_LIMIT')
    return new HttpError(400, 'The form has too many parts.');
  if (raw.destroyed && !raw.complete) return new HttpError(400, 'The upload was interrupted.');
  const isFormError = code.startsWith('FST_') || /multipart|boundary|malformed|terminated early/i.test(message);
  return isFormError ? new HttpError(400, 'The body is not valid multipart/form-data.') : error;
}
