import type { FastifyInstance } from 'fastify';
import type { Uploads } from '../../core/attachments/uploads.ts';
import type { VisitorPresence } from '../../core/engine/presence/visitor-presence.ts';
import { forbidden } from '../../core/kernel/caller.ts';
import { serveUploads } from '../graphql-server/uploads.ts';
import type { VisitorGate } from './visitor-gate.ts';

export const VISITOR_ATTACHMENT_PATH = '/visitor/attachment';

interface UploadOptions {
  readonly uploads: Uploads;
  readonly presence: VisitorPresence;
  readonly gate: VisitorGate;
  readonly timeoutMs: number;
}

/** `POST /visitor/attachment` takes a file of a visitor. */
export function registerVisitorUploads(
  app: FastifyInstance,
  { uploads, presence, gate, timeoutMs }: UploadOptions,
): void {
  serveUploads(app, {
    path: VISITOR_ATTACHMENT_PATH,
    uploads,
    acceptsApiKeys: false,
    timeoutMs,
    authenticate: async ({ secret }, request) => {
      const visitor = await gate.authenticate(secret, request.headers.origin);
      if (visitor === 'wrong_origin') throw forbidden();
      if (visitor) presence.noteRequest(visitor);
      return visitor;
    },
  });
}
