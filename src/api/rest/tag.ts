import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { TagService } from '../../core/administration/tag-service.ts';
import { type Tag, tagFields } from '../../core/directory/tag.ts';
import { DomainError } from '../../core/kernel/errors.ts';
import { id } from '../../core/kernel/ids.ts';
import type { RestUsage } from '../../core/reports/rest-usage.ts';
import { readBody } from './body.ts';
import { single } from './envelope.ts';
import { refuseOtherLink, refuseReadOnlyChanges } from './read-only.ts';
import { pathId, plainResource, registerReads, renderRow } from './resource.ts';
import { readInput } from './wire.ts';
import { created, registerRemove, type Writes } from './write.ts';

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

function shown({ id, name, websiteList }: Tag) {
  return { id, name, websiteId: websiteList };
}

export function registerTag(app: FastifyInstance, tags: TagService, writes: Writes, usage: RestUsage): void {
  const definition = { name: 'tag', schema: tagSchema, filters: TAG_FILTERS };
  registerReads(app, plainResource(definition, tags, shown), usage);
  const body = (tag: Tag) => single(renderRow('tag', shown(tag), 'all'));

  app.post('/tag', (request, reply) =>
    writes.run<Tag>(request, reply, {
      perform: async (commit) => {
        const { name, websiteId } = readInput(tagCreateBody, readBody(request));
        return inWordsOfTheInterface(() => tags.create(commit, request.caller, { name, websiteList: websiteId }));
      },
      answer: (tag) => created('tag', tag.id, body(tag)),
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
      answer: (tag) => ({ status: 200, body: body(tag) }),
    }),
  );

  registerRemove(app, 'tag', tags, writes);
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
