import type { FastifyInstance } from 'fastify';
import type { WebsiteService } from '../../core/administration/website-service.ts';
import { type Website, websiteCreate, websiteSchema, websiteUpdate } from '../../core/directory/website.ts';
import type { Caller } from '../../core/kernel/caller.ts';
import type { Window } from '../../core/kernel/page.ts';
import type { RestUsage } from '../../core/reports/rest-usage.ts';
import { readBody } from './body.ts';
import { done, single } from './envelope.ts';
import { toWire } from './names.ts';
import type { Filters, Selection } from './query.ts';
import { refuseOtherLink, refuseReadOnlyChanges } from './read-only.ts';
import { linkTo, pathId, type Resource, registerReads, renderObject } from './resource.ts';
import { readInput } from './wire.ts';
import type { Writes } from './write.ts';

export const WEBSITE_FILTERS = {
  id: { name: 'id', kind: 'id' },
  label: { name: 'label', kind: 'text' },
  url: { name: 'url', kind: 'text' },
} as const;

class WebsiteResource implements Resource<Website> {
  readonly name = 'website';
  readonly schema = websiteSchema;
  readonly filters = WEBSITE_FILTERS;
  readonly #websites: WebsiteService;

  constructor(websites: WebsiteService) {
    this.#websites = websites;
  }

  page(caller: Caller, filters: Filters, window: Window) {
    return this.#websites.page(caller.accountId, filters, window);
  }

  find(caller: Caller, id: number) {
    return this.#websites.find(caller.accountId, id);
  }

  async render(_caller: Caller, websites: readonly Website[], selection: Selection): Promise<string[]> {
    return websites.map((website) => renderObject('website', wireOf(website), selection));
  }
}

/** The fields of the resource, which are fixed: what came later is in GraphQL alone. */
function wireOf({ allowedOrigins: _origins, secretVersion: _version, ...website }: Website): { id: number } {
  return toWire(website) as { id: number };
}

export function registerWebsite(
  app: FastifyInstance,
  websites: WebsiteService,
  writes: Writes,
  usage: RestUsage,
): void {
  registerReads(app, new WebsiteResource(websites), usage);
  const body = (website: Website) => single(renderObject('website', wireOf(website), 'all'));

  app.post('/website', (request, reply) =>
    writes.run<Website>(request, reply, {
      perform: async (commit) => websites.create(commit, request.caller, readInput(websiteCreate, readBody(request))),
      answer: (website) => ({
        status: 201,
        body: body(website),
        location: `/api/2${linkTo('website', website.id)}`,
      }),
    }),
  );

  app.put('/website/:id', (request, reply) =>
    writes.run<Website>(request, reply, {
      perform: async (commit) => {
        const id = pathId(request, 'website');
        const input = readInput(websiteUpdate, readBody(request));
        refuseOtherLink('website', id, input._link);
        refuseReadOnlyChanges({ id, clientId: request.caller.accountId }, input);
        return websites.update(commit, request.caller, id, input);
      },
      answer: (website) => ({ status: 200, body: body(website) }),
    }),
  );

  app.delete('/website/:id', (request, reply) =>
    writes.run<Website>(request, reply, {
      perform: async (commit) => websites.remove(commit, request.caller, pathId(request, 'website')),
      answer: () => ({ status: 200, body: done() }),
    }),
  );
}
