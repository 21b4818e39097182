import type { FieldKind, FieldRef, InputFieldMap, InputShapeFromFields, MaybePromise, OutputRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import { parseId } from '../../core/kernel/ids.ts';
import type { Slice, SlicePage } from '../../core/kernel/slice.ts';
import type { AnyBuilder, BuilderTypes } from './builder.ts';
import { graphqlError } from './errors.ts';
import { type Preloads, preloadRows } from './preload.ts';

const DEFAULT_PAGE_SIZE = 20;
const MAX_PAGE_SIZE = 100;

interface Connection<Node> extends SlicePage<Node> {
  /** Runs only if the field is selected. */
  totalCount(): MaybePromise<number>;
}

/** A list that is read in slices. */
export interface SlicedList<Node> {
  /** Undefined if the list does not exist. */
  slice(slice: Slice): Promise<SlicePage<Node> | undefined>;
  count(): MaybePromise<number>;
}

/** Adapts a query service of the core. */
export function toSlicedList<Filters, Node>(
  source: {
    slice(accountId: number, filters: Filters, slice: Slice): Promise<SlicePage<Node>>;
    count(accountId: number, filters: Filters): Promise<number>;
  },
  accountId: number,
  filters: Filters,
) {
  return {
    slice: (slice: Slice) => source.slice(accountId, filters, slice),
    count: () => source.count(accountId, filters),
  };
}

interface SliceArguments {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
}

export function parseSlice({ first, after, last, before }: SliceArguments): Slice {
  requireSize('first', first, MAX_PAGE_SIZE);
  requireSize('last', last, MAX_PAGE_SIZE);
  if (typeof first === 'number' && typeof last === 'number')
    throw graphqlError('BAD_REQUEST', 'Use first or last, not both.');
  return {
    limit: first ?? last ?? DEFAULT_PAGE_SIZE,
    after: parseCursor('after', after),
    before: parseCursor('before', before),
    backwards: typeof last === 'number',
  };
}

export function requireSize(name: string, size: number | null | undefined, max: number): void {
  if (typeof size === 'number' && (size < 0 || size > max)) {
    throw graphqlError('BAD_REQUEST', `${name} must be between 0 and ${max}.`);
  }
}

function parseCursor(name: string, cursor: string | null | undefined): number | undefined {
  if (cursor === null || cursor === undefined) return undefined;
  const id = parseId(Buffer.from(cursor, 'base64url').toString('latin1').slice('id:'.length));
  if (id === undefined || toCursor({ id }) !== cursor)
    throw graphqlError('BAD_REQUEST', `${name} is not a cursor of this list.`);
  return id;
}

/** Built from the row's identifier, so it stays valid while rows are added and deleted. */
function toCursor({ id }: { id: number }): string {
  return Buffer.from(`id:${id}`).toString('base64url');
}

export const SIZE_ARGUMENTS = {
  first: { description: 'Returns the first _n_ items. Defaults to 20, at most 100.' },
  last: { description: 'Returns the last _n_ items, at most 100. Cannot be combined with `first`.' },
} as const;

interface ConnectionField<Context, Parent, Node, Args extends InputFieldMap> {
  readonly type: OutputRef<Connection<Node>>;
  readonly description: string;
  readonly nullable?: true;
  /** In addition to the paging arguments. */
  readonly args?: Args;
  list(
    parent: Parent,
    args: InputShapeFromFields<Args>,
    context: Context,
  ): MaybePromise<SlicedList<Node> | null | undefined>;
  readonly preloads?: Preloads<Node, Context>;
}

/** Adds `PageInfo`, and returns the functions that declare connection types and fields. */
export function addConnectionTypes<Context extends object>(builder: AnyBuilder) {
  const PageInfo = builder.objectRef<SlicePage<{ id: number }>>('PageInfo').implement({
    description: 'Information about paging in a connection.',
    fields: (t) => ({
      hasNextPage: t.exposeBoolean('hasNext', { description: 'Whether there are more items after this page.' }),
      hasPreviousPage: t.exposeBoolean('hasPrevious', { description: 'Whether there are items before this page.' }),
      startCursor: t.string({
        nullable: true,
        description: 'The cursor of the first item on this page.',
        resolve: ({ rows }) => (rows[0] ? toCursor(rows[0]) : null),
      }),
      endCursor: t.string({
        nullable: true,
        description: 'The cursor of the last item on this page.',
        resolve: ({ rows }) => (rows.length > 0 ? toCursor(rows.at(-1) as { id: number }) : null),
      }),
    }),
  });

  function connectionType<Node extends { id: number }>(name: string, node: OutputRef<Node>) {
    const edge = builder.objectRef<Node>(`${name}Edge`).implement({
      description: `An edge in a connection of ${name} items.`,
      fields: (t) => ({
        cursor: t.string({ description: 'A cursor for `after` and `before`.', resolve: (item) => toCursor(item) }),
        node: t.field({
          type: node,
          description: 'The item at the end of the edge.',
          resolve: (item) => item as never,
        }),
      }),
    });
    return builder.objectRef<Connection<Node>>(`${name}Connection`).implement({
      description: `A page of ${name} items, newest first.`,
      fields: (t) => ({
        edges: t.field({
          type: [edge],
          description: 'A list of edges.',
          resolve: ({ rows }) => [...rows] as never,
        }),
        nodes: t.field({ type: [node], description: 'A list of nodes.', resolve: ({ rows }) => [...rows] as never }),
        pageInfo: t.field({ type: PageInfo, description: 'Information about paging.', resolve: (page) => page }),
        totalCount: t.int({
          description: 'The number of items in the whole list. Counted only if selected.',
          resolve: (page) => page.totalCount(),
        }),
      }),
    });
  }

  /** A connection field with the paging arguments. */
  function connectionField<Kind extends FieldKind, Parent, Node, Args extends InputFieldMap = Record<never, never>>(
    t: PothosSchemaTypes.RootFieldBuilder<BuilderTypes<Context>, Parent, Kind>,
    { args, list, preloads, ...field }: ConnectionField<Context, Parent, Node, Args>,
  ): FieldRef<BuilderTypes<Context>, Connection<Node>, Kind> {
    return t.field({
      ...field,
      args: {
        ...args,
        first: t.arg.int(SIZE_ARGUMENTS.first),
        last: t.arg.int(SIZE_ARGUMENTS.last),
        after: t.arg.string({ description: 'Returns the items after this cursor.' }),
        before: t.arg.string({ description: 'Returns the items before this cursor.' }),
      },
      resolve: async (
        parent: Parent,
        fieldArgs: InputShapeFromFields<Args> & SliceArguments,
        context: Context,
        info: GraphQLResolveInfo,
      ) => {
        const slicedList = await list(parent, fieldArgs, context);
        const page = await slicedList?.slice(parseSlice(fieldArgs));
        if (!slicedList || !page) return null;
        if (preloads) await preloadRows(page.rows, preloads, context, info);
        return { ...page, totalCount: () => slicedList.count() };
      },
    } as never) as never;
  }

  return { connectionType, connectionField };
}
