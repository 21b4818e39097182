import type { FastifyInstance } from 'fastify';
import type { Attachments } from '../../core/attachments/attachments.ts';
import { unknownId } from '../../core/kernel/errors.ts';
import { sendFile } from '../http/file-response.ts';
import { readPathId } from './resource.ts';

const NAME = 'attachment';

/** The line that the history shows for a file. The address needs the API key. */
export function renderFileLine({ id, name }: { readonly id: number; readonly name: string }): string {
  return `${name} /api/2/${NAME}/${id}`;
}

/** Serves the files of messages to API keys of the account. */
export function registerAttachment(app: FastifyInstance, attachments: Attachments): void {
  app.route({
    // Explicit, because the server would answer HEAD with the length of an empty body.
    method: ['GET', 'HEAD'],
    url: `/${NAME}/:id`,
    handler: async (request, reply) => {
      const id = readPathId(request, NAME);
      const file = await attachments.query.find(request.caller.accountId, id);
      if (!file) throw unknownId(NAME, id);
      reply.header('cross-origin-resource-policy', 'same-site');
      return sendFile(request, reply, file, attachments);
    },
  });
}
