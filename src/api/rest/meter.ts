import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import type { Caller } from '../../core/kernel/caller.ts';
import type { RestUsage } from '../../core/reports/rest-usage.ts';
import { wireName } from './names.ts';
import { listSelection, type Query, readQuery, type Selection, singleSelection } from './query.ts';

/** Another spelling of an address under which old clients look for the same. */
export const UNICODE = '.json-unicode';

/** An endpoint in the migration meter: `GET /operator/{id}`. */
export function endpointName(method: string, url: string): string {
  return `${method} ${url.replace('/api/2', '').replace(UNICODE, '').replace(':id', '{id}')}`;
}

/** A filter of a list in the migration meter: `GET /operator?filters[name]`. */
export function filterName(list: string, filter: string): string {
  return `GET ${list}?filters[${filter}]`;
}

/** The deprecated fields of a schema with their names in the migration meter: `role` is `operator.role`. */
export function deprecatedFields(resource: string, schema: z.ZodObject): ReadonlyMap<string, string> {
  const names = Object.keys(schema.shape).filter((name) => (schema.shape[name] as z.ZodType).meta()?.deprecated);
  return new Map(names.map((name) => [wireName(name), `${resource}.${wireName(name)}`]));
}

/** Counts every request that has a key, by its endpoint and whatever the answer will be. HEAD is a kind of GET. */
export function countEndpoints(app: FastifyInstance, usage: RestUsage): void {
  app.addHook('onRoute', (route) => {
    const [method = ''] = [route.method].flat();
    const what = endpointName(method === 'HEAD' ? 'GET' : method, route.url);
    const count = (request: FastifyRequest, _reply: unknown, next: () => void) => {
      usage.count(request.caller, what);
      next();
    };
    // Runs after the hook of the whole interface, which has found the caller.
    route.onRequest = [count, ...[route.onRequest ?? []].flat()];
  });
}

type UsesOf = (query: Query) => readonly string[];

const KNOWN_QUERIES = 5000;
const MAX_KNOWN_LENGTH = 500;

/** Counts the deprecated fields and the filters of reads that went well. The same query is looked at once. */
export class ReadMeter {
  readonly #usage: RestUsage;
  readonly #usesOf: UsesOf;
  readonly #withoutQuery: readonly string[];
  readonly #known = new LRUCache<string, readonly string[]>({ max: KNOWN_QUERIES });

  constructor(usage: RestUsage, usesOf: UsesOf) {
    this.#usage = usage;
    this.#usesOf = usesOf;
    this.#withoutQuery = usesOf({});
  }

  count(request: FastifyRequest): void {
    for (const what of this.#uses(request)) this.#usage.count(request.caller, what);
  }

  #uses(request: FastifyRequest): readonly string[] {
    const { url = '' } = request.raw;
    const start = url.indexOf('?');
    if (start < 0) return this.#withoutQuery;
    if (url.length - start > MAX_KNOWN_LENGTH) return this.#usesOf(readQuery(request));
    const text = url.slice(start);
    let uses = this.#known.get(text);
    if (!uses) {
      uses = this.#usesOf(readQuery(request));
      this.#known.set(text, uses);
    }
    return uses;
  }
}

/** What a read of a list uses: the filters, and the deprecated fields that it shows. */
export function listUses(resource: string, schema: z.ZodObject, filters: object): UsesOf {
  const fields = deprecatedFields(resource, schema);
  const named = filterUses(`/${resource}`, filters);
  return (query) => [...named(query), ...shown(fields, listSelection(query))];
}

/** What a read of one resource uses. */
export function singleUses(resource: string, schema: z.ZodObject): UsesOf {
  const fields = deprecatedFields(resource, schema);
  return (query) => shown(fields, singleSelection(query));
}

export function filterUses(list: string, filters: object): UsesOf {
  return ({ filters: given }) =>
    Object.keys(filters)
      .filter((name) => typeof given === 'object' && given !== null && Object.hasOwn(given, name))
      .map((name) => filterName(list, name));
}

function shown(fields: ReadonlyMap<string, string>, selection: Selection): string[] {
  return [...fields].filter(([name]) => selection === 'all' || selection.has(name)).map(([, what]) => what);
}

/** Counts the deprecated fields that writes name. */
export class WriteMeter {
  readonly #usage: RestUsage;
  readonly #fields: ReadonlyMap<string, string>;

  constructor(usage: RestUsage, resource: string, schema: z.ZodObject) {
    this.#usage = usage;
    this.#fields = deprecatedFields(resource, schema);
  }

  count(caller: Caller, body: Readonly<Record<string, unknown>>): void {
    for (const [field, what] of this.#fields) {
      if (Object.hasOwn(body, field)) this.#usage.count(caller, what);
    }
  }
}
