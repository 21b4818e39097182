import { z } from 'zod';
import { withWebsiteDefaults } from '../../../core/directory/website.ts';
import { withDefaults } from '../../../core/operators/operator.ts';
import { toWireKeys, toWireName } from '../names.ts';

const link = z.string().meta({ description: 'Path of this resource, relative to `/api/2`.' });

/** Builds the schemas of a read: the full resource with its link, or only the selected fields. */
export function buildReadSchemas(schema: z.ZodObject) {
  const { id, description } = schema.meta() ?? {};
  const full = schema.extend({ _link: link });
  return {
    full: full.meta({ id, description }),
    partial: full
      .partial()
      .required({ id: true, _link: true })
      .meta({ id: `${id}Part`, description: '`id`, `_link` and the fields selected with `fields[]`.' }),
  };
}

/** Builds the schema of a subresource of an operator: all fields, or its identifier and the selected fields. */
export function buildFullOrPartialSchema(schema: z.ZodObject, identifier: string) {
  const partial = schema.partial().required({ [identifier]: true } as Record<string, true>);
  const { id } = schema.meta() ?? {};
  return z.union([
    schema,
    partial.meta({
      id: `${id}Part`,
      description: 'The identifier and the fields selected with `fields[]`.',
    }),
  ]);
}

type JsonObject = Record<string, unknown>;

/** Keys with values, not schemas: values are already in wire format. */
const VALUE_KEYS = new Set(['example', 'examples', 'default', 'enum', 'const']);

/** Converts every schema in a document from camel case to wire format. */
export function toWireDocument<T>(node: T): T {
  if (Array.isArray(node)) return node.map(toWireDocument) as T;
  if (node === null || typeof node !== 'object') return node;
  const entries = Object.entries(node).map(([key, value]) => [
    key,
    VALUE_KEYS.has(key) ? value : toWireDocument(value),
  ]);
  return toWireNode(Object.fromEntries(entries)) as T;
}

function toWireNode(node: JsonObject): JsonObject {
  const { properties, required, example, ...rest } = node;
  const isProperties = typeof properties === 'object' && properties !== null && node.type === 'object';
  if (!isProperties && !isSchemaExample(node)) return removeMachineBounds(node);
  return removeMachineBounds({
    ...rest,
    // JSON Schema uses `examples`; the singular of OpenAPI 3.0 is deprecated.
    ...(example === undefined ? {} : { examples: [example] }),
    ...(isProperties ? { properties: renameProperties(properties as JsonObject) } : {}),
    ...(Array.isArray(required) ? { required: required.map(toWireName) } : {}),
  });
}

function isSchemaExample(node: JsonObject): boolean {
  return 'example' in node && 'type' in node;
}

/** Removes the bounds that only reflect JavaScript's safe integers. */
function removeMachineBounds(node: JsonObject): JsonObject {
  const { minimum, maximum, ...rest } = node;
  return {
    ...rest,
    ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
  };
}

function renameProperties(properties: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [toWireName(name), schema]));
}

/** Taken from the functions that set the defaults, except defaults that depend on other fields or on the account. */
const DEFAULTS: Readonly<Record<string, JsonObject>> = {
  OperatorCreate: toWireDefaults(withDefaults({ name: '', email: '' }, []), {
    except: ['name', 'email', 'pseudo', 'languageList', 'websiteList'],
  }),
  WebsiteCreate: toWireDefaults(withWebsiteDefaults({ url: '', label: '' }), { except: ['url', 'label'] }),
};

function toWireDefaults(values: object, { except }: { except: readonly string[] }): JsonObject {
  return toWireKeys(
    Object.fromEntries(Object.entries(values).filter(([name]) => !except.includes(name))),
  ) as JsonObject;
}

/** Adds the default values to the create schemas. */
export function addDefaults<Schema>(schemas: Readonly<Record<string, Schema>>): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => {
      const { properties } = schema as { properties?: Record<string, JsonObject> };
      const propertiesWithDefault = Object.entries(DEFAULTS[id] ?? {}).map(([name, value]) => [
        name,
        { ...properties?.[name], default: value },
      ]);
      return [
        id,
        propertiesWithDefault.length === 0
          ? schema
          : { ...schema, properties: { ...properties, ...Object.fromEntries(propertiesWithDefault) } },
      ];
    }),
  ) as Record<string, Schema>;
}
