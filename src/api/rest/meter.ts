import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import { upToEntries } from '../../core/kernel/caches.ts';
import type { Caller } from '../../core/kernel/caller.ts';
import type { RestUsage } from '../../core/reports/rest-usage.ts';
import { toWireName } from './names.ts';
import { parseQuery, type Query, readListSelection, readSingleSelection, type Selection } from './query.ts';

/** Suffix of the alternative URLs that old clients use. */
export const JSON_UNICODE_SUFFIX = '.json-unicode';

/** The name of an endpoint in the migration meter: `GET /operator/{id}`. */
export function endpointName(method: string, url: string): string {
  return `${method} ${url.replace('/api/2', '').replace(JSON_UNICODE_SUFFIX, '').replace(':id', '{id}')}`;
}

/** The name of a filter in the migration meter: `GET /operator?filters[name]`. */
export function filterName(list: string, filter: string): string {
  return `GET ${list}?filters[${filter}]`;
}

/** The deprecated fields of a schema and their names in the migration meter: `role` → `operator.role`. */
export function mapDeprecatedFields(resource: string, schema: z.ZodObject): ReadonlyMap<string, string> {
  const names = Object.keys(schema.shape).filter((name) => (schema.shape[name] as z.ZodType).meta()?.deprecated);
  return new Map(names.map((name) => [toWireName(name), `${resource}.${toWireName(name)}`]));
}

/** Counts every authenticated request by endpoint, whatever its outcome. HEAD counts as GET. */
export function countEndpoints(app: FastifyInstance, usage: RestUsage): void {
  app.addHook('onRoute', (route) => {
    const [method = ''] = [route.method].flat();
    const feature = endpointName(method === 'HEAD' ? 'GET' : method, route.url);
    const count = (request: FastifyRequest, _reply: unknown, next: () => void) => {
      usage.countUse(request.caller, feature);
      next();
    };
    // Runs after the REST-wide hook, which sets the caller.
    route.onRequest = [count, ...[route.onRequest ?? []].flat()];
  });
}

type FeatureReader = (query: Query) => readonly string[];

const MAX_CACHED_QUERIES = 5000;
const MAX_CACHED_QUERY_LENGTH = 500;

/** Counts the deprecated fields and the filters that successful reads use. Caches the result by query string. */
export class ReadMeter {
  readonly #usage: RestUsage;
  readonly #readFeatures: FeatureReader;
  readonly #featuresWithoutQuery: readonly string[];
  readonly #cache = new LRUCache<string, readonly string[]>(upToEntries(MAX_CACHED_QUERIES));

  constructor(usage: RestUsage, readFeatures: FeatureReader) {
    this.#usage = usage;
    this.#readFeatures = readFeatures;
    this.#featuresWithoutQuery = readFeatures({});
  }

  count(caller: Caller, url: string): void {
    for (const feature of this.#getFeatures(url)) this.#usage.countUse(caller, feature);
  }

  #getFeatures(url: string): readonly string[] {
    const start = url.indexOf('?');
    if (start < 0) return this.#featuresWithoutQuery;
    if (url.length - start > MAX_CACHED_QUERY_LENGTH) return this.#readFeatures(parseQuery(url));
    const queryString = url.slice(start);
    let features = this.#cache.get(queryString);
    if (!features) {
      features = this.#readFeatures(parseQuery(url));
      this.#cache.set(queryString, features);
    }
    return features;
  }
}

/** Returns a reader of the features that a list request uses: its filters, and the deprecated fields it returns. */
export function createListFeatureReader(resource: string, schema: z.ZodObject, filters: object): FeatureReader {
  const fields = mapDeprecatedFields(resource, schema);
  const readFilterFeatures = createFilterFeatureReader(`/${resource}`, filters);
  return (query) => [...readFilterFeatures(query), ...selectFields(fields, readListSelection(query))];
}

/** Returns a reader of the features that a single read uses: the deprecated fields it returns. */
export function createSingleFeatureReader(resource: string, schema: z.ZodObject): FeatureReader {
  const fields = mapDeprecatedFields(resource, schema);
  return (query) => selectFields(fields, readSingleSelection(query));
}

export function createFilterFeatureReader(list: string, filters: object): FeatureReader {
  return ({ filters: sentFilters }) =>
    Object.keys(filters)
      .filter((name) => typeof sentFilters === 'object' && sentFilters !== null && Object.hasOwn(sentFilters, name))
      .map((name) => filterName(list, name));
}

function selectFields(fields: ReadonlyMap<string, string>, selection: Selection): string[] {
  return [...fields].filter(([name]) => selection === 'all' || selection.has(name)).map(([, feature]) => feature);
}

/** Counts the deprecated fields that writes set. */
export class WriteMeter {
  readonly #usage: RestUsage;
  readonly #fields: ReadonlyMap<string, string>;

  constructor(usage: RestUsage, resource: string, schema: z.ZodObject) {
    this.#usage = usage;
    this.#fields = mapDeprecatedFields(resource, schema);
  }

  count(caller: Caller, body: Readonly<Record<string, unknown>>): void {
    for (const [field, feature] of this.#fields) {
      if (Object.hasOwn(body, field)) this.#usage.countUse(caller, feature);
    }
  }
}
