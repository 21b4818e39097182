import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from 'fastify';
import type { z } from 'zod';
import type { Caller } from '../../core/kernel/caller.ts';
import { unknownId } from '../../core/kernel/errors.ts';
import { parseId } from '../../core/kernel/ids.ts';
import type { Page, Window } from '../../core/kernel/page.ts';
import type { RestUsage } from '../../core/reports/rest-usage.ts';
import type { ReadCaches } from './cached-reads.ts';
import { renderList, renderSingle, sendJson } from './envelope.ts';
import { createListFeatureReader, createSingleFeatureReader, ReadMeter } from './meter.ts';
import { toWireKeys } from './names.ts';
import {
  DEFAULT_LIMIT,
  type Filters,
  type FilterTable,
  type Paging,
  readFilters,
  readListSelection,
  readPaging,
  readQuery,
  readSingleSelection,
  type Selection,
} from './query.ts';

/** A resource with a list and a single read. */
export interface Resource<Row extends { readonly id: number }> {
  readonly name: string;
  /** A second name that old clients use. */
  readonly alias?: string;
  readonly schema: z.ZodObject;
  readonly filters: FilterTable;
  page(caller: Caller, filters: Filters, window: Window): Promise<Page<Row>>;
  find(caller: Caller, id: number): Promise<Row | undefined>;
  /** Renders JSON objects with `_link`; leaves out rows deleted in the meantime. */
  render(caller: Caller, rows: readonly Row[], selection: Selection): Promise<string[]>;
  /** The cached rendering of the full row, if any. */
  getRendered?(caller: Caller, row: Row): string | undefined;
}

interface RowSource<Row> {
  page(accountId: number, filters: Filters, window: Window): Promise<Page<Row>>;
  find(accountId: number, id: number): Promise<Row | undefined>;
}

/** A resource whose rows already contain all its fields. */
export function createPlainResource<Row extends { readonly id: number }>(
  definition: Pick<Resource<Row>, 'name' | 'schema' | 'filters'>,
  source: RowSource<Row>,
  toObject: (row: Row) => { readonly id: number },
): Resource<Row> {
  return {
    ...definition,
    page: ({ accountId }, filters, window) => source.page(accountId, filters, window),
    find: ({ accountId }, id) => source.find(accountId, id),
    render: async (_caller, rows, selection) => rows.map((row) => renderRow(definition.name, toObject(row), selection)),
  };
}

/** `caches`, if given, keep list responses until something in the account changes. */
export function registerReads<Row extends { readonly id: number }>(
  app: FastifyInstance,
  resource: Resource<Row>,
  usage: RestUsage,
  caches?: ReadCaches,
): void {
  const listMeter = new ReadMeter(usage, createListFeatureReader(resource.name, resource.schema, resource.filters));
  const singleMeter = new ReadMeter(usage, createSingleFeatureReader(resource.name, resource.schema));

  const renderListBody = async (request: FastifyRequest): Promise<string> => {
    const query = readQuery(request);
    const paging = readPaging(query) ?? FIRST_PAGE;
    const { rows, count } = await resource.page(request.caller, readFilters(query, resource.filters), toWindow(paging));
    const selection = readListSelection(query);
    const items =
      selection !== 'all' && selection.size === 0
        ? rows.map((row) => renderStub(resource.name, row.id))
        : await resource.render(request.caller, rows, selection);
    return renderList(items, { ...paging, count });
  };
  const handleList: RouteHandlerMethod = async (request, reply) => {
    const body = caches
      ? await caches.lists.getOrRender(request, async () => ({
          body: await renderListBody(request),
          validUntil: Number.POSITIVE_INFINITY,
        }))
      : await renderListBody(request);
    listMeter.count(request.caller, request.url);
    return sendJson(reply, 200, body);
  };

  const handleSingle: RouteHandlerMethod = async (request, reply) => {
    const row = await resource.find(request.caller, readPathId(request, resource.name));
    if (!row) throw unknownId(resource.name, readPathIdText(request));
    const selection = readSingleSelection(readQuery(request));
    const rendered = selection === 'all' ? resource.getRendered?.(request.caller, row) : undefined;
    const [item] = rendered === undefined ? await resource.render(request.caller, [row], selection) : [rendered];
    if (item === undefined) throw unknownId(resource.name, readPathIdText(request));
    singleMeter.count(request.caller, request.url);
    return sendJson(reply, 200, renderSingle(item));
  };

  for (const name of [resource.name, ...(resource.alias === undefined ? [] : [resource.alias])]) {
    app.get(`/${name}`, handleList);
    app.get(`/${name}/:id`, handleSingle);
  }
  if (!caches) return;
  caches.reads.add(`/${resource.name}`, listMeter, (caller, url) => caches.lists.findCurrent(caller, url));
  caches.reads.add(`/${resource.name}/:id`, singleMeter, async (caller, url) => {
    const id = url.includes('?') ? undefined : parseId(url.slice(url.lastIndexOf('/') + 1));
    const row = id === undefined ? undefined : await resource.find(caller, id);
    const rendered = row && resource.getRendered?.(caller, row);
    return rendered === undefined ? undefined : renderSingle(rendered);
  });
}

export const FIRST_PAGE: Paging = { page: 1, limit: DEFAULT_LIMIT };

export function toWindow({ page, limit }: Paging): Window {
  return { offset: (page - 1) * limit, limit };
}

/** A malformed identifier counts as unknown. */
export function readPathId(request: FastifyRequest, resource: string): number {
  const text = readPathIdText(request);
  const id = parseId(text);
  if (id === undefined) throw unknownId(resource, text);
  return id;
}

function readPathIdText(request: FastifyRequest): string {
  return (request.params as { id: string }).id;
}

export function buildLink(resource: string, id: number): string {
  return `/${resource}/${id}`;
}

/** Renders a list item for which no fields are selected. */
function renderStub(resource: string, id: number): string {
  return `{"id":${id},"_link":"/${resource}/${id}"}`;
}

/** Renders an object in wire format with `_link`, reduced to the selected fields. */
export function renderObject(resource: string, object: { readonly id: number }, selection: Selection): string {
  const link = buildLink(resource, object.id);
  if (selection === 'all') return JSON.stringify({ ...object, _link: link });
  const entries = Object.entries(object).filter(([name]) => name === 'id' || selection.has(name));
  return JSON.stringify({ ...Object.fromEntries(entries), _link: link });
}

/** Like `renderObject`, for a row that is not yet in wire format. */
export function renderRow(resource: string, row: { readonly id: number }, selection: Selection): string {
  return renderObject(resource, toWireKeys(row) as { id: number }, selection);
}

/**
 * Renders a subresource of an operator, without `_link`: its identifier and the selected fields. Some clients send the
 * same `fields` with every call; if none of them exists here, all fields are returned.
 */
export function renderSubresource(object: Readonly<Record<string, unknown>>, selection: Selection): string {
  if (selection === 'all' || !Object.keys(object).some((name) => selection.has(name))) return JSON.stringify(object);
  const entries = Object.entries(object).filter(([name]) => name === 'id' || name === 'user_id' || selection.has(name));
  return JSON.stringify(Object.fromEntries(entries));
}
