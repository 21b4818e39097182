import { z } from 'zod';
import { toWireName } from '../names.ts';

type JsonSchema = Record<string, unknown>;

/**
 * Describes the fields of a schema as a form sends them: `call_config[type]`, `1` and `0`, `1,2`. Only the fields of the
 * example and required ones are `properties`: Swagger UI sends a sample of every property, so that trying out an update
 * would overwrite all fields. The others are `patternProperties`, which are valid too.
 */
export function buildFormSchema(schema: z.ZodObject, example: object): JsonSchema {
  const fields = flattenFields(schema);
  const shown = new Map(Object.entries(buildFormExample(example)));
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const isProperty = ({ name }: FormField) => shown.has(name) || required.includes(name);
  return {
    type: 'object',
    description: schema.meta()?.description,
    properties: Object.fromEntries(
      fields.filter(isProperty).map(({ name, value }) => [name, { ...value, examples: [shown.get(name)] }]),
    ),
    patternProperties: Object.fromEntries(
      fields
        .filter((field) => !isProperty(field))
        .map(({ name, value }) => [`^${name.replace(/[[\]]/g, '\\$&')}$`, value])
        .concat(fields.filter(({ isList }) => isList).map(({ name }) => [`^${name}\\[\\d*\\]$`, LIST_ITEM])),
    ),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/** Converts an example of the JSON body: `{chat: {available: true}}` becomes `{'chat[available]': '1'}`. */
export function buildFormExample(example: object): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(example).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(value).map(([inner, innerValue]) => [`${name}[${inner}]`, toFormValue(innerValue)])
        : [[name, toFormValue(value)]],
    ),
  );
}

function toFormValue(value: unknown): string | number {
  if (typeof value === 'boolean') return value ? '1' : '0';
  return Array.isArray(value) ? value.join(',') : (value as string | number);
}

interface FormField {
  readonly name: string;
  readonly value: JsonSchema;
  readonly isRequired: boolean;
  readonly isList: boolean;
}

const LIST_ITEM: JsonSchema = { description: 'One item of the list.' };

function flattenFields(schema: z.ZodObject): FormField[] {
  return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([key, field]): FormField[] => {
    const name = toWireName(key);
    const inner = unwrap(field);
    if (inner instanceof z.ZodObject)
      return flattenFields(inner).map((part) => ({ ...part, name: `${name}[${part.name}]`, isRequired: false }));
    const description = findDescription(field);
    const value = { ...toFormValueSchema(field, inner), ...(description === undefined ? {} : { description }) };
    return [{ name, value, isRequired: !field.safeParse(undefined).success, isList: inner instanceof z.ZodArray }];
  });
}

function toFormValueSchema(field: z.ZodType, inner: z.ZodType): JsonSchema {
  if (inner instanceof z.ZodArray) return { type: 'string' };
  if (inner instanceof z.ZodBoolean) return { type: 'string', enum: ['1', '0', 'true', 'false'] };
  if (inner instanceof z.ZodLiteral && inner.values.has(false)) return { type: 'string', enum: ['0', 'false'] };
  // An empty value means null.
  if (field.safeParse(null).success) return { type: ['string', 'integer'] };
  const { $schema: _schema, id: _id, example: _example, ...value } = z.toJSONSchema(inner, { io: 'input' });
  return value;
}

function findDescription(schema: z.ZodType): string | undefined {
  const inner = unwrapOnce(schema);
  return schema.meta()?.description ?? (inner && findDescription(inner));
}

function unwrap(schema: z.ZodType): z.ZodType {
  const inner = unwrapOnce(schema);
  return inner ? unwrap(inner) : schema;
}

function unwrapOnce(schema: z.ZodType): z.ZodType | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return schema.unwrap() as z.ZodType;
  return schema instanceof z.ZodPipe ? (schema.in as z.ZodType) : undefined;
}
