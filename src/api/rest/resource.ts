import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../../core/caller.ts';
import { unknownId } from '../../core/errors.ts';
import { parseId } from '../../core/ids.ts';
import type { Page, Window } from '../../core/page.ts';
import { list, sendJson, single } from './envelope.ts';
import {
  DEFAULT_LIMIT,
  type Filters,
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
  /** Filters by their name in a query, with their name in the code. */
  readonly filters: Readonly<Record<string, { name: string; kind: 'id' | 'text' }>>;
  page(caller: Caller, filters: Filters, window: Window): Promise<Page<Row>>;
  find(caller: Caller, id: number): Promise<Row | undefined>;
  /** The rows as JSON objects with `_link`; rows that are gone meanwhile are left out. */
  render(caller: Caller, rows: readonly Row[], selection: Selection): Promise<string[]>;
}

export function registerReads<Row extends { readonly id: number }>(
  app: FastifyInstance,
  resource: Resource<Row>,
): void {
  app.get(`/${resource.name}`, async (request, reply) => {
    const query = readQuery(request);
    const paging = readPaging(query) ?? FIRST_PAGE;
    const { rows, count } = await resource.page(request.caller, readFilters(query, resource.filters), windowOf(paging));
    const selection = listSelection(query);
    const items =
      selection !== 'all' && selection.size === 0
        ? rows.map((row) => stub(resource.name, row.id))
        : await resource.render(request.caller, rows, selection);
    return sendJson(reply, 200, list(items, { ...paging, count }));
  });

  app.get(`/${resource.name}/:id`, async (request, reply) => {
    const row = await resource.find(request.caller, pathId(request, resource.name));
    if (!row) throw unknownId(resource.name, pathText(request));
    const [item] = await resource.render(request.caller, [row], singleSelection(readQuery(request)));
    if (item === undefined) throw unknownId(resource.name, pathText(request));
    return sendJson(reply, 200, single(item));
  });
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
