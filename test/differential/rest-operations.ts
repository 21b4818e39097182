import { readFileSync } from 'node:fs';
import type { Operation } from './operation.ts';
import type { Random } from './random.ts';
import {
  randomEmail,
  randomId,
  randomIdPattern,
  randomLanguage,
  randomText,
  randomTextPattern,
  randomTime,
  randomUrl,
  randomVisitorPattern,
} from './values.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

interface EndpointDescription {
  readonly parameters?: readonly { readonly $ref?: string; readonly name?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

interface Endpoint extends EndpointDescription {
  readonly method: string;
  readonly path: string;
}

const openapi = JSON.parse(readFileSync(new URL('../../docs/api/openapi.json', import.meta.url), 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, EndpointDescription>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

const METHODS = ['get', 'post', 'put', 'delete'];

const endpoints: readonly Endpoint[] = Object.entries(openapi.paths)
  .filter(([path]) => path.startsWith('/api/2/'))
  .flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, described]) => ({ ...described, method: method.toUpperCase(), path })),
  );

const READS = endpoints.filter(({ method }) => method === 'GET');
const WRITES = endpoints.filter(({ method }) => method === 'POST' || method === 'PUT');
const DELETES = endpoints.filter(({ method }) => method === 'DELETE');

export const restRead = (random: Random) => randomRequest(random, random.pick(READS));
export const restWrite = (random: Random) => randomRequest(random, random.pick(WRITES));
export const restDelete = (random: Random) => randomRequest(random, random.pick(DELETES));

/** A random request from the OpenAPI document, mostly valid and sometimes not. */
function randomRequest(random: Random, { method, path, parameters = [], requestBody }: Endpoint): Operation {
  const names = parameters.map(({ $ref, name }) => name ?? ($ref as string).split('/').at(-1) ?? '');
  const query = names
    .filter((name) => name !== 'id' && name !== 'idempotencyKey')
    .flatMap((name) => randomParameter(random, name));
  const target = path.replace('{id}', encodeURIComponent(randomId(random)));
  const address = query.length > 0 ? `${target}?${query.join('&')}` : target;
  const key = random.chance(0.9) ? 'write' : 'read';
  const base = { kind: 'rest', key, method, path: address } as const;
  const idempotency = method !== 'GET' && random.chance(0.1) ? { idempotencyKey: `key-${random.between(1, 6)}` } : {};
  const schema = requestBody?.content['application/json']?.schema;
  if (!schema) return { ...base, ...idempotency };
  return { ...base, ...idempotency, body: JSON.stringify(randomBody(random, schema)), contentType: 'application/json' };
}

function randomParameter(random: Random, name: string): string[] {
  if (!random.chance(name.startsWith('filters') ? 0.22 : 0.3)) return [];
  if (name === 'page') return [`page=${random.pick(['1', '1', '2', '3', '0', '9999'])}`];
  if (name === 'limit') return [`limit=${random.pick(['1', '2', '3', '5', '100', '1000', 'x'])}`];
  if (name === 'full') return ['full=1'];
  if (name === 'fields')
    return [`fields=${random.pick(['id', 'name,email', 'history,tag_list', 'website_list', 'x'])}`];
  if (name === 'connected') return [`connected=${random.pick(['0', '1'])}`];
  return [`${name}=${encodeURIComponent(randomFilterValue(random, name.slice('filters['.length, -1)))}`];
}

const INDICATORS = ['conversation_number', 'waiting_seconds', 'satisfaction_rate', 'connected_seconds', 'experience'];

function randomFilterValue(random: Random, name: string): string {
  if (name === 'unique_id') return randomVisitorPattern(random);
  if (/^(name|email|label|url|external_id)$/.test(name)) return randomTextPattern(random);
  if (name === 'from' || name === 'to') return randomTimestamp(random);
  if (name === 'channel') return random.pick(['chat', 'call', 'video', 'chat,call', 'x']);
  if (name === 'resource') return random.pick(['operator', 'group', 'skill']);
  if (name === 'indicators') return random.sample(INDICATORS, 0.5).join(',') || 'x';
  return randomIdPattern(random);
}

/** A date, or a date with time. */
function randomTimestamp(random: Random): string {
  const text = new Date(randomTime(random)).toISOString();
  return random.chance(0.5) ? text.slice(0, 10) : text.slice(0, 19).replace('T', ' ');
}

function randomBody(random: Random, schema: Schema): unknown {
  const { properties = {}, required = [] } = resolveSchema(schema);
  const names = Object.keys(properties).filter((name) => !OMITTED_FIELDS.has(name));
  const includedNames = names.filter((name) => (required.includes(name) ? random.chance(0.97) : random.chance(0.3)));
  return Object.fromEntries(includedNames.map((name) => [name, randomValue(random, properties[name] as Schema, name)]));
}

/** Read-only fields are rejected unless they repeat the current value; hashing a password is slow. */
const OMITTED_FIELDS = new Set(['id', '_link', 'password', 'created_at', 'operator_list', 'parent_list']);

function randomValue(random: Random, schema: Schema, name: string): unknown {
  const { anyOf, enum: choices, type, items, properties } = resolveSchema(schema);
  if (anyOf) return randomValue(random, random.pick(anyOf), name);
  if (choices) return random.chance(0.97) ? random.pick(choices) : 'x';
  if (properties) return randomBody(random, schema);
  if (type === 'array')
    return Array.from({ length: random.between(0, 3) }, () => randomValue(random, items ?? {}, name));
  if (type === 'boolean') return random.chance(0.5);
  if (type === 'integer' || type === 'number')
    return name === 'chat_max_number' ? random.between(0, 4) : Number(randomId(random)) || 1;
  if (type === 'null') return null;
  if (name === 'email') return randomEmail(random);
  if (name === 'url') return randomUrl(random);
  if (name === 'language_list') return randomLanguage(random);
  if (name === 'external_id') return random.chance(0.8) ? `ext-${random.between(1, 6)}` : randomText(random);
  if (name === 'phone_number') return random.pick(['+33123456789', '12']);
  if (name === 'currency') return 'EUR';
  if (name === 'timezone') return 'Europe/Paris';
  return randomText(random);
}

function resolveSchema(schema: Schema): Schema {
  return schema.$ref ? (openapi.components.schemas[schema.$ref.split('/').at(-1) ?? ''] as Schema) : schema;
}
