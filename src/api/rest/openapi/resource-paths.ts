import { z } from 'zod';
import type { ZodOpenApiPathItemObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { toWire } from '../names.ts';
import type { FilterTable } from '../query.ts';
import { linkTo } from '../resource.ts';
import { doneEnvelope, listEnvelope, singleEnvelope } from './envelope-schemas.ts';
import { answer, body, read, write } from './operation.ts';
import { filterParameters, parameterRefs } from './parameters.ts';
import { readSchemas } from './wire-schema.ts';

interface DescribedResource {
  readonly name: string;
  readonly tag: string;
  readonly schema: z.ZodObject;
  readonly filters: FilterTable;
  /** What filters mean here, where it is not what they mean elsewhere. */
  readonly meanings?: Readonly<Record<string, string>>;
  /** What else is to be known of the list. */
  readonly listNote?: string;
  readonly example: { readonly id: number };
  readonly writes?: {
    readonly create: z.ZodObject;
    readonly createExample: object;
    readonly createNote?: string;
    readonly update: z.ZodObject;
    readonly updateExample: object;
    readonly removeNote: string;
  };
}

const SUCCESS = { status: 'success' };
const LIST_NOTE = 'Newest first. Without `full` and `fields[]` an item is `id` and `_link`.';

/** The paths of a resource: list and read, and the writes where it has them. */
export function resourcePaths(resource: DescribedResource): ZodOpenApiPathsObject {
  const { name } = resource;
  const { full, part } = readSchemas(resource.schema);
  const { list, single } = reads(resource, z.union([full, part]));
  const { create, change } = writes(resource, full);
  return {
    [`/api/2/${name}`]: { get: list, ...create },
    [`/api/2/${name}/{id}`]: { get: single, ...change },
  };
}

function reads(resource: DescribedResource, item: z.ZodType) {
  const { name, tag, filters, meanings, listNote, example } = resource;
  const { id } = example;
  const _link = linkTo(name, id);
  const list = read({
    operationId: `list_${name}`,
    tag,
    summary: `List of the ${name}s`,
    description: [LIST_NOTE, ...(listNote === undefined ? [] : [listNote])].join(' '),
    parameters: [...parameterRefs('page', 'limit', 'full', 'fields'), ...filterParameters(filters, meanings)],
    success: answer('A page of the list.', listEnvelope(item), {
      meta: SUCCESS,
      data: [{ id, _link }],
      pagination: { page: 1, pages: 1, limit: 20, count: 1 },
    }),
  });
  const single = read(
    {
      operationId: `read_${name}`,
      tag,
      summary: `One ${name}`,
      parameters: parameterRefs('id', 'fields'),
      success: answer(`The ${name}.`, singleEnvelope(item), whole(name, example)),
    },
    'NotFound',
  );
  return { list, single };
}

function writes({ name, tag, example, writes }: DescribedResource, full: z.ZodType) {
  if (!writes) return {};
  const create: ZodOpenApiPathItemObject = {
    post: write({
      operationId: `create_${name}`,
      tag,
      summary: `Create ${withArticle(name)}`,
      ...(writes.createNote === undefined ? {} : { description: writes.createNote }),
      body: body(writes.create, writes.createExample),
      status: 201,
      success: answer(
        `The new ${name}.`,
        singleEnvelope(full),
        whole(name, example),
        'Location',
        'Idempotency-Replayed',
      ),
    }),
  };
  const change: ZodOpenApiPathItemObject = {
    put: write(
      {
        operationId: `update_${name}`,
        tag,
        summary: `Change ${withArticle(name)}`,
        description:
          'Changes the fields that it names and no others. Read-only fields are accepted when they repeat the present value, so that what was read can be sent back.',
        parameters: parameterRefs('id'),
        body: body(writes.update, writes.updateExample),
        success: answer(
          `The ${name} after the change.`,
          singleEnvelope(full),
          whole(name, example),
          'Idempotency-Replayed',
        ),
      },
      'NotFound',
    ),
    delete: write(
      {
        operationId: `delete_${name}`,
        tag,
        summary: `Delete ${withArticle(name)}`,
        description: writes.removeNote,
        parameters: parameterRefs('id'),
        success: answer(`The ${name} is gone.`, doneEnvelope, { meta: SUCCESS }, 'Idempotency-Replayed'),
      },
      'NotFound',
    ),
  };
  return { create, change };
}

function whole(name: string, example: { readonly id: number }): object {
  return { meta: SUCCESS, data: { ...(toWire(example) as object), _link: linkTo(name, example.id) } };
}

function withArticle(name: string): string {
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`;
}
