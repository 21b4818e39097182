import { z } from 'zod';
import { websiteWithDefaults } from '../../../core/directory/website.ts';
import { withDefaults } from '../../../core/operators/operator.ts';
import { toWire, wireName } from '../names.ts';

const link = z.string().meta({ description: 'Path of this object below `/api/2`.' });

/** What reads show of a resource: the whole object with its link, or the fields that were asked for. */
export function readSchemas(schema: z.ZodObject) {
  const { id, description } = schema.meta() ?? {};
  const full = schema.extend({ _link: link });
  return {
    full: full.meta({ id, description }),
    part: full
      .partial()
      .required({ id: true, _link: true })
      .meta({ id: `${id}Part`, description: '`id`, `_link` and the fields that were asked for with `fields[]`.' }),
  };
}

/** A part of an operator: all of it, or its identifier and the fields that were asked for. */
export function wholeOrPart(schema: z.ZodObject, identifier: string) {
  const part = schema.partial().required({ [identifier]: true } as Record<string, true>);
  const { id } = schema.meta() ?? {};
  return z.union([
    schema,
    part.meta({ id: `${id}Part`, description: 'The identifier and the fields that were asked for with `fields[]`.' }),
  ]);
}

type Json = Record<string, unknown>;

/** Values, not schemas: they are written as on the wire already. */
const VALUES = new Set(['example', 'examples', 'default', 'enum', 'const']);

/** Every schema inside a document, turned from the words of the core into what goes over the wire. */
export function asOnTheWire<T>(node: T): T {
  if (Array.isArray(node)) return node.map(asOnTheWire) as T;
  if (node === null || typeof node !== 'object') return node;
  const inner = Object.entries(node).map(([key, value]) => [key, VALUES.has(key) ? value : asOnTheWire(value)]);
  return wireObject(Object.fromEntries(inner)) as T;
}

function wireObject(node: Json): Json {
  const { properties, required, example, ...rest } = node;
  const isProperties = typeof properties === 'object' && properties !== null && node.type === 'object';
  if (!isProperties && !isSchemaExample(node)) return withoutMachineBounds(node);
  return withoutMachineBounds({
    ...rest,
    // JSON Schema has the plural; the singular of OpenAPI 3.0 is deprecated.
    ...(example === undefined ? {} : { examples: [example] }),
    ...(isProperties ? { properties: renamed(properties as Json) } : {}),
    ...(Array.isArray(required) ? { required: required.map(wireName) } : {}),
  });
}

function isSchemaExample(node: Json): boolean {
  return 'example' in node && 'type' in node;
}

/** The bounds of exact integers in JavaScript say nothing about the field. */
function withoutMachineBounds(node: Json): Json {
  const { minimum, maximum, ...rest } = node;
  return {
    ...rest,
    ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
  };
}

function renamed(properties: Json): Json {
  return Object.fromEntries(Object.entries(properties).map(([name, inner]) => [wireName(name), inner]));
}

/** Defaults come from the functions that fill them in, except those that depend on other fields or on the account. */
const DEFAULTS: Readonly<Record<string, Json>> = {
  OperatorCreate: fixedDefaults(withDefaults({ name: '', email: '' }, []), {
    except: ['name', 'email', 'pseudo', 'languageList', 'websiteList'],
  }),
  WebsiteCreate: fixedDefaults(websiteWithDefaults({ url: '', label: '' }), { except: ['url', 'label'] }),
};

function fixedDefaults(filled: object, { except }: { except: readonly string[] }): Json {
  return toWire(Object.fromEntries(Object.entries(filled).filter(([name]) => !except.includes(name)))) as Json;
}

/** The schemas of the document with the defaults of what is created. */
export function withDefaultValues<Schema>(schemas: Readonly<Record<string, Schema>>): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => {
      const { properties } = schema as { properties?: Record<string, Json> };
      const filled = Object.entries(DEFAULTS[id] ?? {}).map(([name, value]) => [
        name,
        { ...properties?.[name], default: value },
      ]);
      return [
        id,
        filled.length === 0 ? schema : { ...schema, properties: { ...properties, ...Object.fromEntries(filled) } },
      ];
    }),
  ) as Record<string, Schema>;
}
