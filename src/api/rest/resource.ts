import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from 'fastify';
import type { z } from 'zod';
import type { Caller } from '../../core/kernel/caller.ts';
import { unknownId } from '../../core/kernel/errors.ts';
import { parseId } from '../../core/kernel/ids.ts';
import type { Page, Window } from '../../core/kernel/page.ts';
import type { RestUsage } from '../../core/reports/rest-usage.ts';
import { list, sendJson, single } from './envelope.ts';
import type { ListAnswers } from './list-answers.ts';
import { listUses, ReadMeter, singleUses } from './meter.ts';
import { toWire } from './names.ts';
import {
  DEFAULT_LIMIT,
  type Filters,
  type FilterTable,
  listSelection,
  type Paging,
  readFilters,
  readPaging,
  readQuery,
  type Selection,
  singleSelection,
} from './query.ts';

/** A thing that the interface lists and shows. Everything generic about reads is in this file. */
export interface Resource<Row extends { readonly id: number }> {
  readonly name: string;
  /** Another name under which old clients look for the same. */
  readonly alsoNamed?: string;
  readonly schema: z.ZodObject;
  readonly filters: FilterTable;
  page(caller: Caller, filters: Filters, window: Window): Promise<Page<Row>>;
  find(caller: Caller, id: number): Promise<Row | undefined>;
  /** The rows as JSON objects with `_link`; rows that are gone meanwhile are left out. */
  render(caller: Caller, rows: readonly Row[], selection: Selection): Promise<string[]>;
  /** The whole row, where it was rendered before. */
  rendered?(caller: Caller, row: Row): string | undefined;
}

/** The rows of a resource, as the core has them. */
interface Rows<Row> {
  page(accountId: number, filters: Filters, window: Window): Promise<Page<Row>>;
  find(accountId: number, id: number): Promise<Row | undefined>;
}

/** A resource that shows nothing but what its rows have, in the spelling of the interface. */
export function plainResource<Row extends { readonly id: number }>(
  definition: Pick<Resource<Row>, 'name' | 'schema' | 'filters'>,
  rows: Rows<Row>,
  shown: (row: Row) => { readonly id: number },
): Resource<Row> {
  return {
    ...definition,
    page: ({ accountId }, filters, window) => rows.page(accountId, filters, window),
    find: ({ accountId }, id) => rows.find(accountId, id),
    render: async (_caller, found, selection) => found.map((row) => renderRow(definition.name, shown(row), selection)),
  };
}

/** `answers`, where given, keeps whole answers of the list until something in the account changes. */
export function registerReads<Row extends { readonly id: number }>(
  app: FastifyInstance,
  resource: Resource<Row>,
  usage: RestUsage,
  answers?: ListAnswers,
): void {
  const listMeter = new ReadMeter(usage, listUses(resource.name, resource.schema, resource.filters));
  const singleMeter = new ReadMeter(usage, singleUses(resource.name, resource.schema));

  const listBody = async (request: FastifyRequest): Promise<string> => {
    const query = readQuery(request);
    const paging = readPaging(query) ?? FIRST_PAGE;
    const { rows, count } = await resource.page(request.caller, readFilters(query, resource.filters), windowOf(paging));
    const selection = listSelection(query);
    const items =
      selection !== 'all' && selection.size === 0
        ? rows.map((row) => stub(resource.name, row.id))
        : await resource.render(request.caller, rows, selection);
    return list(items, { ...paging, count });
  };
  const showList: RouteHandlerMethod = async (request, reply) => {
    const body = answers
      ? await answers.answer(request, async () => ({ body: await listBody(request), until: Number.POSITIVE_INFINITY }))
      : await listBody(request);
    listMeter.count(request);
    return sendJson(reply, 200, body);
  };

  const showOne: RouteHandlerMethod = async (request, reply) => {
    const row = await resource.find(request.caller, pathId(request, resource.name));
    if (!row) throw unknownId(resource.name, pathText(request));
    const selection = singleSelection(readQuery(request));
    const kept = selection === 'all' ? resource.rendered?.(request.caller, row) : undefined;
    const [item] = kept === undefined ? await resource.render(request.caller, [row], selection) : [kept];
    if (item === undefined) throw unknownId(resource.name, pathText(request));
    singleMeter.count(request);
    return sendJson(reply, 200, single(item));
  };

  for (const name of [resource.name, ...(resource.alsoNamed === undefined ? [] : [resource.alsoNamed])]) {
    app.get(`/${name}`, showList);
    app.get(`/${name}/:id`, showOne);
  }
}

export const FIRST_PAGE: Paging = { page: 1, limit: DEFAULT_LIMIT };

export function windowOf({ page, limit }: Paging): Window {
  return { offset: (page - 1) * limit, limit };
}

/** The identifier in the path; one that is no identifier names nothing. */
export function pathId(request: FastifyRequest, resource: string): number {
  const text = pathText(request);
  const id = parseId(text);
  if (id === undefined) throw unknownId(resource, text);
  return id;
}

function pathText(request: FastifyRequest): string {
  return (request.params as { id: string }).id;
}

export function linkTo(resource: string, id: number): string {
  return `/${resource}/${id}`;
}

/** What a list shows of an item unless more is asked for. */
function stub(resource: string, id: number): string {
  return `{"id":${id},"_link":"/${resource}/${id}"}`;
}

/** One resource as JSON with `_link`, reduced to the fields that were asked for. */
export function renderObject(resource: string, object: { readonly id: number }, selection: Selection): string {
  const link = linkTo(resource, object.id);
  if (selection === 'all') return JSON.stringify({ ...object, _link: link });
  const entries = Object.entries(object).filter(([name]) => name === 'id' || selection.has(name));
  return JSON.stringify({ ...Object.fromEntries(entries), _link: link });
}

/** The same for an object in the spelling of the code. */
export function renderRow(resource: string, row: { readonly id: number }, selection: Selection): string {
  return renderObject(resource, toWire(row) as { id: number }, selection);
}

/**
 * A part of an operator, which has no `_link`: its identifier and the fields that were asked for. Clients that send the same
 * `fields` with every call name none of its fields, and mean all of it.
 */
export function renderPart(part: Readonly<Record<string, unknown>>, selection: Selection): string {
  if (selection === 'all' || !Object.keys(part).some((name) => selection.has(name))) return JSON.stringify(part);
  const entries = Object.entries(part).filter(([name]) => name === 'id' || name === 'user_id' || selection.has(name));
  return JSON.stringify(Object.fromEntries(entries));
}
