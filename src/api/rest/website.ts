import type { FastifyInstance } from 'fastify';
import type { WebsiteService } from '../../core/administration/website-service.ts';
import { type Website, websiteCreate, websiteSchema, websiteUpdate } from '../../core/directory/website.ts';
import type { RestUsage } from '../../core/reports/rest-usage.ts';
import { readBody } from './body.ts';
import { renderSingle } from './envelope.ts';
import { rejectOtherLink, rejectReadOnlyChanges } from './read-only.ts';
import { createPlainResource, readPathId, registerReads, renderRow } from './resource.ts';
import { readInput } from './wire.ts';
import { registerDelete, toCreatedResponse, type Writes } from './write.ts';

export const WEBSITE_FILTERS = {
  id: { name: 'id', kind: 'id' },
  label: { name: 'label', kind: 'text' },
  url: { name: 'url', kind: 'text' },
} as const;

/** The REST fields are frozen: newer fields exist only in GraphQL. */
function toWireWebsite({ id, url, label, clientId, currency, languageAdmin, timezone }: Website) {
  return { id, url, label, clientId, currency, languageAdmin, timezone };
}

export function registerWebsite(
  app: FastifyInstance,
  websites: WebsiteService,
  writes: Writes,
  usage: RestUsage,
): void {
  const definition = { name: 'website', schema: websiteSchema, filters: WEBSITE_FILTERS };
  registerReads(app, createPlainResource(definition, websites, toWireWebsite), usage);
  const renderBody = (website: Website) => renderSingle(renderRow('website', toWireWebsite(website), 'all'));

  app.post('/website', (request, reply) =>
    writes.run<Website>(request, reply, {
      perform: async (commit) => websites.create(commit, request.caller, readInput(websiteCreate, readBody(request))),
      toResponse: (website) => toCreatedResponse('website', website.id, renderBody(website)),
    }),
  );

  app.put('/website/:id', (request, reply) =>
    writes.run<Website>(request, reply, {
      perform: async (commit) => {
        const id = readPathId(request, 'website');
        const input = readInput(websiteUpdate, readBody(request));
        rejectOtherLink('website', id, input._link);
        rejectReadOnlyChanges({ id, clientId: request.caller.accountId }, input);
        return websites.update(commit, request.caller, id, input);
      },
      toResponse: (website) => ({ status: 200, body: renderBody(website) }),
    }),
  );

  registerDelete(app, 'website', websites, writes);
}
