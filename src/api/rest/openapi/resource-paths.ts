import { z } from 'zod';
import type { ZodOpenApiPathItemObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { toWireKeys } from '../names.ts';
import type { FilterTable } from '../query.ts';
import { buildLink } from '../resource.ts';
import { listEnvelope, singleEnvelope, successEnvelope } from './envelope-schemas.ts';
import { describeReadOperation, describeWriteOperation, jsonResponse, requestBody } from './operation.ts';
import { buildFilterParameters, parameterRefs } from './parameters.ts';
import { buildReadSchemas } from './wire-schema.ts';

interface ResourceDescription {
  readonly name: string;
  readonly tag: string;
  readonly schema: z.ZodObject;
  readonly filters: FilterTable;
  /** Descriptions of filters that differ from the common ones. */
  readonly filterDescriptions?: Readonly<Record<string, string>>;
  readonly listNote?: string;
  readonly example: { readonly id: number };
  readonly writes?: {
    readonly create: z.ZodObject;
    readonly createExample: object;
    readonly createNote?: string;
    readonly update: z.ZodObject;
    readonly updateExample: object;
    readonly deleteNote: string;
  };
}

const SUCCESS = { status: 'success' };
const LIST_NOTE = 'Newest first. Without `full` and `fields[]`, an item has only `id` and `_link`.';

/** The paths of a resource: list, single read, and writes if it has any. */
export function buildResourcePaths(resource: ResourceDescription): ZodOpenApiPathsObject {
  const { name } = resource;
  const { full, partial } = buildReadSchemas(resource.schema);
  const { list, single } = describeReads(resource, z.union([full, partial]));
  const { create, change } = describeWrites(resource, full);
  return {
    [`/api/2/${name}`]: { get: list, ...create },
    [`/api/2/${name}/{id}`]: { get: single, ...change },
  };
}

function describeReads(resource: ResourceDescription, item: z.ZodType) {
  const { name, tag, filters, filterDescriptions, listNote, example } = resource;
  const { id } = example;
  const _link = buildLink(name, id);
  const list = describeReadOperation({
    operationId: `list_${name}`,
    tag,
    summary: `List ${name}s`,
    description: [LIST_NOTE, ...(listNote === undefined ? [] : [listNote])].join(' '),
    parameters: [
      ...parameterRefs('page', 'limit', 'full', 'fields'),
      ...buildFilterParameters(filters, filterDescriptions),
    ],
    success: jsonResponse('A page of the list.', listEnvelope(item), {
      meta: SUCCESS,
      data: [{ id, _link }],
      pagination: { page: 1, pages: 1, limit: 20, count: 1 },
    }),
  });
  const single = describeReadOperation(
    {
      operationId: `read_${name}`,
      tag,
      summary: `Read ${withArticle(name)}`,
      parameters: parameterRefs('id', 'fields'),
      success: jsonResponse(`The ${name}.`, singleEnvelope(item), buildFullExample(name, example)),
    },
    'NotFound',
  );
  return { list, single };
}

function describeWrites({ name, tag, example, writes }: ResourceDescription, full: z.ZodType) {
  if (!writes) return {};
  const create: ZodOpenApiPathItemObject = {
    post: describeWriteOperation({
      operationId: `create_${name}`,
      tag,
      summary: `Create ${withArticle(name)}`,
      ...(writes.createNote === undefined ? {} : { description: writes.createNote }),
      body: requestBody(writes.create, writes.createExample),
      status: 201,
      success: jsonResponse(
        `The new ${name}.`,
        singleEnvelope(full),
        buildFullExample(name, example),
        'Location',
        'Idempotency-Replayed',
      ),
    }),
  };
  const updateAndDelete: ZodOpenApiPathItemObject = {
    put: describeWriteOperation(
      {
        operationId: `update_${name}`,
        tag,
        summary: `Update ${withArticle(name)}`,
        description:
          'Changes only the fields in the body. Read-only fields are accepted when they repeat the current value, so that a client can send back what it read.',
        parameters: parameterRefs('id'),
        body: requestBody(writes.update, writes.updateExample),
        success: jsonResponse(
          `The updated ${name}.`,
          singleEnvelope(full),
          buildFullExample(name, example),
          'Idempotency-Replayed',
        ),
      },
      'NotFound',
    ),
    delete: describeWriteOperation(
      {
        operationId: `delete_${name}`,
        tag,
        summary: `Delete ${withArticle(name)}`,
        description: writes.deleteNote,
        parameters: parameterRefs('id'),
        success: jsonResponse(`The ${name} was deleted.`, successEnvelope, { meta: SUCCESS }, 'Idempotency-Replayed'),
      },
      'NotFound',
    ),
  };
  return { create, change: updateAndDelete };
}

function buildFullExample(name: string, example: { readonly id: number }): object {
  return { meta: SUCCESS, data: { ...(toWireKeys(example) as object), _link: buildLink(name, example.id) } };
}

function withArticle(name: string): string {
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`;
}
