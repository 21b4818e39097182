import type { z } from 'zod';
import type {
  ZodOpenApiOperationObject,
  ZodOpenApiParameterObject,
  ZodOpenApiRequestBodyObject,
  ZodOpenApiResponseObject,
} from 'zod-openapi';
import { type ErrorName, errorRefs } from './errors.ts';
import { buildFormExample, buildFormSchema } from './form-schema.ts';
import { responseHeaders } from './headers.ts';
import { parameterRefs } from './parameters.ts';

type Parameter = ZodOpenApiParameterObject | { $ref: string };

interface OperationDescription {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly success: ZodOpenApiResponseObject;
}

export function describeReadOperation(
  description: OperationDescription,
  ...otherErrors: ErrorName[]
): ZodOpenApiOperationObject {
  return { ...buildCommonFields(description), responses: { 200: description.success, ...errorRefs(...otherErrors) } };
}

interface WriteDescription extends OperationDescription {
  readonly status?: 200 | 201;
  readonly body?: ZodOpenApiRequestBodyObject;
}

/** Every write accepts an idempotency key. */
export function describeWriteOperation(
  description: WriteDescription,
  ...otherErrors: ErrorName[]
): ZodOpenApiOperationObject {
  const { status = 200, body, success } = description;
  const operation = buildCommonFields({
    ...description,
    parameters: [...(description.parameters ?? []), ...parameterRefs('idempotencyKey')],
  });
  const bodyErrors: ErrorName[] = body ? ['UnsupportedMediaType'] : [];
  return {
    ...operation,
    ...(body ? { requestBody: body } : {}),
    responses: {
      [status]: success,
      ...errorRefs('Conflict', 'TooLarge', 'OtherRequest', ...bodyErrors, ...otherErrors),
    },
  };
}

function buildCommonFields({ operationId, tag, summary, description, parameters }: OperationDescription) {
  return {
    operationId,
    tags: [tag],
    summary,
    description: description ?? `${summary}.`,
    deprecated: true,
    ...(parameters ? { parameters: [...parameters] } : {}),
    security: [{ keyHeader: [] }, { keyQuery: [] }, { keyBasic: [] }],
  };
}

export function jsonResponse(
  description: string,
  schema: z.ZodType,
  example: unknown,
  ...headers: string[]
): ZodOpenApiResponseObject {
  return { description, headers: responseHeaders(...headers), content: { 'application/json': { schema, example } } };
}

const FORM_RULES =
  'In a form, booleans are `1` or `0`, lists are `1,2` or `name[]=1&name[]=2`, fields of objects are in brackets ' +
  '(`call_config[type]=…`), and an empty value means an empty list or null. Files are not accepted.';

/** Accepts the same fields as JSON or as a form. JSON comes first because Swagger UI prefills it with the example. */
export function requestBody(schema: z.ZodObject, example: object): ZodOpenApiRequestBodyObject {
  const form = { schema: buildFormSchema(schema, example), example: buildFormExample(example) };
  return {
    description: `${schema.meta()?.description ?? ''} ${FORM_RULES}`.trim(),
    required: true,
    content: {
      'application/json': { schema, example },
      'application/x-www-form-urlencoded': form,
      'multipart/form-data': form,
    },
  };
}
