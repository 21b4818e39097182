import { readFileSync } from 'node:fs';
import type { Dice } from './dice.ts';
import type { Operation } from './operation.ts';
import {
  idPattern,
  someEmail,
  someId,
  someLanguage,
  someMoment,
  someText,
  someUrl,
  textPattern,
  visitorPattern,
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

interface Described {
  readonly parameters?: readonly { readonly $ref?: string; readonly name?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

interface Endpoint extends Described {
  readonly method: string;
  readonly path: string;
}

const description = JSON.parse(readFileSync(new URL('../../docs/api/openapi.json', import.meta.url), 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

const METHODS = ['get', 'post', 'put', 'delete'];

const endpoints: readonly Endpoint[] = Object.entries(description.paths)
  .filter(([path]) => path.startsWith('/api/2/'))
  .flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, described]) => ({ ...described, method: method.toUpperCase(), path })),
  );

const READS = endpoints.filter(({ method }) => method === 'GET');
const WRITES = endpoints.filter(({ method }) => method === 'POST' || method === 'PUT');
const DELETES = endpoints.filter(({ method }) => method === 'DELETE');

export const restRead = (dice: Dice) => request(dice, dice.pick(READS));
export const restWrite = (dice: Dice) => request(dice, dice.pick(WRITES));
export const restDelete = (dice: Dice) => request(dice, dice.pick(DELETES));

/** A request of the published interface with all that its description allows, and a little that it does not. */
function request(dice: Dice, { method, path, parameters = [], requestBody }: Endpoint): Operation {
  const named = parameters.map(({ $ref, name }) => name ?? ($ref as string).split('/').at(-1) ?? '');
  const query = named
    .filter((name) => name !== 'id' && name !== 'idempotencyKey')
    .flatMap((name) => parameter(dice, name));
  const target = path.replace('{id}', encodeURIComponent(someId(dice)));
  const address = query.length > 0 ? `${target}?${query.join('&')}` : target;
  const key = dice.chance(0.9) ? 'write' : 'read';
  const base = { kind: 'rest', key, method, path: address } as const;
  const again = method !== 'GET' && dice.chance(0.1) ? { idempotencyKey: `key-${dice.between(1, 6)}` } : {};
  const schema = requestBody?.content['application/json']?.schema;
  if (!schema) return { ...base, ...again };
  return { ...base, ...again, body: JSON.stringify(someBody(dice, schema)), contentType: 'application/json' };
}

function parameter(dice: Dice, name: string): string[] {
  if (!dice.chance(name.startsWith('filters') ? 0.22 : 0.3)) return [];
  if (name === 'page') return [`page=${dice.pick(['1', '1', '2', '3', '0', '9999'])}`];
  if (name === 'limit') return [`limit=${dice.pick(['1', '2', '3', '5', '100', '1000', 'x'])}`];
  if (name === 'full') return ['full=1'];
  if (name === 'fields') return [`fields=${dice.pick(['id', 'name,email', 'history,tag_list', 'website_list', 'x'])}`];
  if (name === 'connected') return [`connected=${dice.pick(['0', '1'])}`];
  return [`${name}=${encodeURIComponent(filterValue(dice, name.slice('filters['.length, -1)))}`];
}

const INDICATORS = ['conversation_number', 'waiting_seconds', 'satisfaction_rate', 'connected_seconds', 'experience'];

function filterValue(dice: Dice, name: string): string {
  if (name === 'unique_id') return visitorPattern(dice);
  if (/^(name|email|label|url|external_id)$/.test(name)) return textPattern(dice);
  if (name === 'from' || name === 'to') return moment(dice);
  if (name === 'channel') return dice.pick(['chat', 'call', 'video', 'chat,call', 'x']);
  if (name === 'resource') return dice.pick(['operator', 'group', 'skill']);
  if (name === 'indicators') return dice.some(INDICATORS, 0.5).join(',') || 'x';
  return idPattern(dice);
}

/** A day, or a second of it. */
function moment(dice: Dice): string {
  const text = new Date(someMoment(dice)).toISOString();
  return dice.chance(0.5) ? text.slice(0, 10) : text.slice(0, 19).replace('T', ' ');
}

function someBody(dice: Dice, schema: Schema): unknown {
  const { properties = {}, required = [] } = resolved(schema);
  const names = Object.keys(properties).filter((name) => !NOT_SENT.has(name));
  const given = names.filter((name) => (required.includes(name) ? dice.chance(0.97) : dice.chance(0.3)));
  return Object.fromEntries(given.map((name) => [name, someValue(dice, properties[name] as Schema, name)]));
}

/** What only reads show is refused unless it repeats the present value; a password takes long. */
const NOT_SENT = new Set(['id', '_link', 'password', 'created_at', 'operator_list', 'parent_list']);

function someValue(dice: Dice, schema: Schema, name: string): unknown {
  const { anyOf, enum: words, type, items, properties } = resolved(schema);
  if (anyOf) return someValue(dice, dice.pick(anyOf), name);
  if (words) return dice.chance(0.97) ? dice.pick(words) : 'x';
  if (properties) return someBody(dice, schema);
  if (type === 'array') return Array.from({ length: dice.between(0, 3) }, () => someValue(dice, items ?? {}, name));
  if (type === 'boolean') return dice.chance(0.5);
  if (type === 'integer' || type === 'number')
    return name === 'chat_max_number' ? dice.between(0, 4) : Number(someId(dice)) || 1;
  if (type === 'null') return null;
  if (name === 'email') return someEmail(dice);
  if (name === 'url') return someUrl(dice);
  if (name === 'language_list') return someLanguage(dice);
  if (name === 'external_id') return dice.chance(0.8) ? `ext-${dice.between(1, 6)}` : someText(dice);
  if (name === 'phone_number') return dice.pick(['+33123456789', '12']);
  if (name === 'currency') return 'EUR';
  if (name === 'timezone') return 'Europe/Paris';
  return someText(dice);
}

function resolved(schema: Schema): Schema {
  return schema.$ref ? (description.components.schemas[schema.$ref.split('/').at(-1) ?? ''] as Schema) : schema;
}
