import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { TagService } from '../../core/administration/tag-service.ts';
import { type Tag, tagFields } from '../../core/directory/tag.ts';
import type { Caller } from '../../core/kernel/caller.ts';
import { DomainError } from '../../core/kernel/errors.ts';
import { id } from '../../core/kernel/ids.ts';
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

export const TAG_FILTERS = {
  id: { name: 'id', kind: 'id' },
  website_id: { name: 'websiteId', kind: 'id' },
} as const;

/** The interface calls the list of websites by the name of one. */
const { name, websiteList: websiteId } = tagFields;

export const tagSchema = z
  .object({ id: id.meta({ description: 'Tag identifier.' }), name, websiteId })
  .meta({ id: 'Tag', description: 'A word that operators put on conversations.' });
export const tagCreateBody = z
  .strictObject({ name, websiteId: websiteId.optional() })
  .meta({ id: 'TagCreate', description: 'A new tag.' });
export const tagUpdateBody = z
  .strictObject({
    ...tagSchema.shape,
    _link: z.string().meta({ description: 'Accepted when it repeats the present value.' }),
  })
  .partial()
  .meta({ id: 'TagUpdate', description: 'The fields of a tag to change; all others stay as they are.' });

function shown({ id, name, websiteList }: Tag, selection: Selection): string {
  return renderObject('tag', toWire({ id, name, websiteId: websiteList }) as { id: number }, selection);
}

class TagResource implements Resource<Tag> {
  readonly name = 'tag';
  readonly schema = tagSchema;
  readonly filters = TAG_FILTERS;
  readonly #tags: TagService;

  constructor(tags: TagService) {
    this.#tags = tags;
  }

  page(caller: Caller, filters: Filters, window: Window) {
    return this.#tags.page(caller.accountId, filters, window);
  }

  find(caller: Caller, id: number) {
    return this.#tags.find(caller.accountId, id);
  }

  async render(_caller: Caller, tags: readonly Tag[], selection: Selection): Promise<string[]> {
    return tags.map((tag) => shown(tag, selection));
  }
}

export function registerTag(app: FastifyInstance, tags: TagService, writes: Writes, usage: RestUsage): void {
  registerReads(app, new TagResource(tags), usage);

  app.post('/tag', (request, reply) =>
    writes.run<Tag>(request, reply, {
      perform: async (commit) => {
        const { name, websiteId } = readInput(tagCreateBody, readBody(request));
        return inWordsOfTheInterface(() => tags.create(commit, request.caller, { name, websiteList: websiteId }));
      },
      answer: (tag) => ({
        status: 201,
        body: single(shown(tag, 'all')),
        location: `/api/2${linkTo('tag', tag.id)}`,
      }),
    }),
  );

  app.put('/tag/:id', (request, reply) =>
    writes.run<Tag>(request, reply, {
      perform: async (commit) => {
        const id = pathId(request, 'tag');
        const input = readInput(tagUpdateBody, readBody(request));
        refuseOtherLink('tag', id, input._link);
        refuseReadOnlyChanges({ id }, { id: input.id });
        const { name, websiteId } = input;
        return inWordsOfTheInterface(() => tags.update(commit, request.caller, id, { name, websiteList: websiteId }));
      },
      answer: (tag) => ({ status: 200, body: single(shown(tag, 'all')) }),
    }),
  );

  app.delete('/tag/:id', (request, reply) =>
    writes.run<Tag>(request, reply, {
      perform: async (commit) => tags.remove(commit, request.caller, pathId(request, 'tag')),
      answer: () => ({ status: 200, body: done() }),
    }),
  );
}

/** A problem of the list of websites is one of the field that the caller sent. */
async function inWordsOfTheInterface<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DomainError) || !error.details.problems) throw error;
    const problems = error.details.problems.map((problem) =>
      problem.path[0] === 'websiteList' ? { ...problem, path: ['websiteId'] } : problem,
    );
    throw new DomainError(error.kind, error.message, { ...error.details, problems });
  }
}
