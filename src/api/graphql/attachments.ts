import type { FastifyInstance } from 'fastify';
import type { Access } from '../../core/access/access.ts';
import type { Attachments } from '../../core/attachments/attachments.ts';
import { requireTwoFactorSetUp } from '../../core/kernel/caller.ts';
import { unknownId } from '../../core/kernel/errors.ts';
import { serveUploads } from '../graphql-server/uploads.ts';
import { sendFile } from '../http/file-response.ts';
import { HttpError } from '../http/http-error.ts';
import { rejectOtherMethods } from '../http/methods.ts';
import type { SessionCookie } from '../http/session-cookie.ts';
import { authenticate } from './authenticate.ts';

export const ATTACHMENT_PATH = '/attachment';
const FILE_PATH = `${ATTACHMENT_PATH}/:id`;

interface AttachmentOptions {
  readonly access: Access;
  readonly attachments: Attachments;
  readonly uploadTimeoutMs: number;
  readonly sessionCookie: SessionCookie;
}

/** `POST /attachment` takes files of operators and integrations; `GET /attachment/<id>` serves signed addresses. */
export function registerAttachments(app: FastifyInstance, options: AttachmentOptions): void {
  const { access, attachments } = options;
  serveUploads(app, {
    path: ATTACHMENT_PATH,
    uploads: attachments.uploads,
    acceptsApiKeys: true,
    readSession: (request) => options.sessionCookie.readCredential(request),
    timeoutMs: options.uploadTimeoutMs,
    authenticate: async (credential, request) => {
      const caller = await authenticate(access, credential, request.ip);
      if (caller) requireTwoFactorSetUp(caller);
      return caller;
    },
  });
  app.route<{ Params: { id: string } }>({
    method: ['GET', 'HEAD'],
    url: FILE_PATH,
    handler: async (request, reply) => {
      const { searchParams } = new URL(request.url, 'http://localhost');
      const address = attachments.addresses.check(request.params.id, searchParams);
      if (!address) throw new HttpError(403, 'The address is not valid. Read the message again to get a new one.');
      const file = await attachments.query.find(address.accountId, address.id);
      if (!file) throw unknownId('attachment', address.id);
      if (address.expiresAt <= file.now)
        throw new HttpError(403, 'The address has expired. Read the message again to get a new one.');
      const seconds = Math.floor((address.expiresAt - file.now) / 1000);
      reply.headers({
        'cache-control': `private, max-age=${seconds}`,
        // A visitor's page has another origin. The address itself is the credential.
        'cross-origin-resource-policy': address.reader === 'visitor' ? 'cross-origin' : 'same-site',
        ...(address.reader === 'visitor' && { 'access-control-allow-origin': '*' }),
      });
      return sendFile(request, reply, file, attachments);
    },
  });
  rejectOtherMethods(app, FILE_PATH, 'GET, HEAD, OPTIONS', 'Method not allowed: use GET.');
}
