import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { TagService } from '../../core/administration/tag-service.ts';
import { type Tag, tagFields } from '../../core/directory/tag.ts';
import { DomainError } from '../../core/kernel/errors.ts';
import { id } from '../../core/kernel/ids.ts';
import type { RestUsage } from '../../core/reports/rest-usage.ts';
import { readBody } from './body.ts';
import { renderSingle } from './envelope.ts';
import { rejectOtherLink, rejectReadOnlyChanges } from './read-only.ts';
import { createPlainResource, readPathId, registerReads, renderRow } from './resource.ts';
import { readInput } from './wire.ts';
import { registerDelete, toCreatedResponse, type Writes } from './write.ts';

export const TAG_FILTERS = {
  id: { name: 'id', kind: 'id' },
  website_id: { name: 'websiteId', kind: 'id' },
} as const;

/** On the wire the list of websites is called `website_id`. */
const { name, websiteList: websiteId } = tagFields;

export const tagSchema = z
  .object({ id: id.meta({ description: 'Tag identifier.' }), name, websiteId })
  .meta({ id: 'Tag', description: 'A label that operators set on conversations.' });
export const tagCreateBody = z
  .strictObject({ name, websiteId: websiteId.optional() })
  .meta({ id: 'TagCreate', description: 'A new tag.' });
export const tagUpdateBody = z
  .strictObject({
    ...tagSchema.shape,
    _link: z.string().meta({ description: 'Accepted when it repeats the current value.' }),
  })
  .partial()
  .meta({ id: 'TagUpdate', description: 'The fields to change; all others stay unchanged.' });

function toWireTag({ id, name, websiteList }: Tag) {
  return { id, name, websiteId: websiteList };
}

export function registerTag(app: FastifyInstance, tags: TagService, writes: Writes, usage: RestUsage): void {
  const definition = { name: 'tag', schema: tagSchema, filters: TAG_FILTERS };
  registerReads(app, createPlainResource(definition, tags, toWireTag), usage);
  const renderBody = (tag: Tag) => renderSingle(renderRow('tag', toWireTag(tag), 'all'));

  app.post('/tag', (request, reply) =>
    writes.run<Tag>(request, reply, {
      perform: async (commit) => {
        const { name, websiteId } = readInput(tagCreateBody, readBody(request));
        return withWireFieldNames(() => tags.create(commit, request.caller, { name, websiteList: websiteId }));
      },
      toResponse: (tag) => toCreatedResponse('tag', tag.id, renderBody(tag)),
    }),
  );

  app.put('/tag/:id', (request, reply) =>
    writes.run<Tag>(request, reply, {
      perform: async (commit) => {
        const id = readPathId(request, 'tag');
        const input = readInput(tagUpdateBody, readBody(request));
        rejectOtherLink('tag', id, input._link);
        rejectReadOnlyChanges({ id }, { id: input.id });
        const { name, websiteId } = input;
        return withWireFieldNames(() => tags.update(commit, request.caller, id, { name, websiteList: websiteId }));
      },
      toResponse: (tag) => ({ status: 200, body: renderBody(tag) }),
    }),
  );

  registerDelete(app, 'tag', tags, writes);
}

/** Reports problems with `websiteList` under the field that the caller sent, `website_id`. */
async function withWireFieldNames<T>(work: () => Promise<T>): Promise<T> {
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
