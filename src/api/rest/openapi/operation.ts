import { z } from 'zod';
import type {
  ZodOpenApiOperationObject,
  ZodOpenApiParameterObject,
  ZodOpenApiRequestBodyObject,
  ZodOpenApiResponseObject,
} from 'zod-openapi';
import { wireName } from '../names.ts';
import { type ErrorName, errors } from './errors.ts';
import { answerHeaders } from './headers.ts';
import { parameterRefs } from './parameters.ts';

type Parameter = ZodOpenApiParameterObject | { $ref: string };

interface Described {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly success: ZodOpenApiResponseObject;
}

/** A read with its errors. */
export function read(described: Described, ...own: ErrorName[]): ZodOpenApiOperationObject {
  return { ...common(described), responses: { 200: described.success, ...errors(...own) } };
}

interface DescribedWrite extends Described {
  readonly status?: 200 | 201;
  readonly body?: ZodOpenApiRequestBodyObject;
}

/** A write with its errors. Every write takes an idempotency key. */
export function write(described: DescribedWrite, ...own: ErrorName[]): ZodOpenApiOperationObject {
  const { status = 200, body, success } = described;
  const operation = common({
    ...described,
    parameters: [...(described.parameters ?? []), ...parameterRefs('idempotencyKey')],
  });
  const bodyErrors: ErrorName[] = body ? ['UnsupportedMediaType'] : [];
  return {
    ...operation,
    ...(body ? { requestBody: body } : {}),
    responses: { [status]: success, ...errors('Conflict', 'TooLarge', 'OtherRequest', ...bodyErrors, ...own) },
  };
}

function common({ operationId, tag, summary, description, parameters }: Described) {
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

export function answer(
  description: string,
  schema: z.ZodType,
  example: unknown,
  ...headers: string[]
): ZodOpenApiResponseObject {
  return { description, headers: answerHeaders(...headers), content: { 'application/json': { schema, example } } };
}

const FORM_RULES =
  'In a form booleans are `1` or `0`, lists are `1,2` or `name[]=1&name[]=2`, fields of objects stand in brackets ' +
  '(`call_config[type]=…`), and an empty value empties a list or sets a field to null.';

/** The same fields as JSON or as a form. JSON stands first because forms to try an operation fill it with the example. */
export function body(schema: z.ZodObject, example: object): ZodOpenApiRequestBodyObject {
  const encoding = formEncoding(schema);
  return {
    description: `${schema.meta()?.description ?? ''} ${FORM_RULES}`.trim(),
    required: true,
    content: {
      'application/json': { schema, example },
      'application/x-www-form-urlencoded': {
        schema,
        example,
        ...(Object.keys(encoding).length > 0 ? { encoding } : {}),
      },
    },
  };
}

const LIST = { style: 'form', explode: false };
const OBJECT = { style: 'deepObject', explode: true };

/** Lists are sent with commas and objects with brackets. */
function formEncoding(schema: z.ZodObject): Record<string, typeof LIST> {
  const styles = Object.entries(schema.shape).map(([name, field]): [string, typeof LIST | undefined] => {
    const inner = unwrapped(field as z.ZodType);
    if (inner instanceof z.ZodArray) return [wireName(name), LIST];
    return [wireName(name), inner instanceof z.ZodObject ? OBJECT : undefined];
  });
  return Object.fromEntries(styles.filter((style): style is [string, typeof LIST] => style[1] !== undefined));
}

function unwrapped(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return unwrapped(schema.unwrap() as z.ZodType);
  return schema instanceof z.ZodPipe ? unwrapped(schema.in as z.ZodType) : schema;
}
