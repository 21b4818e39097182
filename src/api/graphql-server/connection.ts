import type { FieldKind, FieldRef, InputFieldMap, InputShapeFromFields, MaybePromise, OutputRef } from '@pothos/core';
import { parseId } from '../../core/kernel/ids.ts';
import type { Slice, SlicePage } from '../../core/kernel/slice.ts';
import type { AnyBuilder, BuilderTypes } from './builder.ts';
import { graphqlError } from './errors.ts';

const DEFAULT_SIZE = 20;
const LARGEST = 100;

/** A part of a list, with what is needed to ask for the next one. */
interface Connection<Node> extends SlicePage<Node> {
  /** Counted only when it is asked for. */
  totalCount(): MaybePromise<number>;
}

/** A list that is read in parts. */
export interface SlicedList<Node> {
  /** Undefined where there is no such list. */
  slice(slice: Slice): Promise<SlicePage<Node> | undefined>;
  count(): MaybePromise<number>;
}

/** What a service of the core lists of an account. */
export function listOf<Filters, Node>(
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

/** The slice that the arguments of a connection mean. */
export function readSlice({ first, after, last, before }: SliceArguments): Slice {
  requireSize('first', first, LARGEST);
  requireSize('last', last, LARGEST);
  if (typeof first === 'number' && typeof last === 'number')
    throw graphqlError('BAD_REQUEST', 'Give first or last, not both.');
  return {
    limit: first ?? last ?? DEFAULT_SIZE,
    after: readCursor('after', after),
    before: readCursor('before', before),
    backwards: typeof last === 'number',
  };
}

/** Refuses to read more of a list than is good for anybody. */
export function requireSize(name: string, size: number | null | undefined, most: number): void {
  if (typeof size === 'number' && (size < 0 || size > most)) {
    throw graphqlError('BAD_REQUEST', `${name} must be between 0 and ${most}.`);
  }
}

function readCursor(name: string, cursor: string | null | undefined): number | undefined {
  if (cursor === null || cursor === undefined) return undefined;
  const id = parseId(Buffer.from(cursor, 'base64url').toString('latin1').slice('id:'.length));
  if (id === undefined || cursorOf({ id }) !== cursor)
    throw graphqlError('BAD_REQUEST', `${name} is not a cursor of this list.`);
  return id;
}

/** Names a place in a list by the identifier there, so it stays right while rows come and go. */
function cursorOf({ id }: { id: number }): string {
  return Buffer.from(`id:${id}`).toString('base64url');
}

/** How much of a list is asked for. */
export const SIZE_ARGUMENTS = {
  first: { description: 'How many from the beginning: 20 if nothing is said, 100 at most.' },
  last: { description: 'How many from the end, instead of `first`; 100 at most.' },
} as const;

interface ConnectionField<Context, Parent, Node, Args extends InputFieldMap> {
  readonly type: OutputRef<Connection<Node>>;
  readonly description: string;
  readonly nullable?: true;
  /** Those beside the arguments of every connection. */
  readonly args?: Args;
  /** The list of which a part is asked for. */
  list(
    parent: Parent,
    args: InputShapeFromFields<Args>,
    context: Context,
  ): MaybePromise<SlicedList<Node> | null | undefined>;
}

/** How every connection is declared: its types, and the fields that give it. */
export function connectionTypes<Context extends object>(builder: AnyBuilder) {
  const PageInfo = builder.objectRef<SlicePage<{ id: number }>>('PageInfo').implement({
    description: 'Where a page stands in its list.',
    fields: (t) => ({
      hasNextPage: t.exposeBoolean('hasNext', { description: 'Whether more comes after this page.' }),
      hasPreviousPage: t.exposeBoolean('hasPrevious', { description: 'Whether something comes before this page.' }),
      startCursor: t.string({
        nullable: true,
        description: 'Cursor of the first item.',
        resolve: ({ rows }) => (rows[0] ? cursorOf(rows[0]) : null),
      }),
      endCursor: t.string({
        nullable: true,
        description: 'Cursor of the last item.',
        resolve: ({ rows }) => (rows.length > 0 ? cursorOf(rows.at(-1) as { id: number }) : null),
      }),
    }),
  });

  /** The connection type of a kind of object: edges, nodes, page and count. */
  function connectionType<Node extends { id: number }>(name: string, node: OutputRef<Node>) {
    const edge = builder.objectRef<Node>(`${name}Edge`).implement({
      description: `One ${name} in a list, with its place.`,
      fields: (t) => ({
        cursor: t.string({ description: 'The place, for `after` and `before`.', resolve: (item) => cursorOf(item) }),
        node: t.field({ type: node, description: 'The object itself.', resolve: (item) => item as never }),
      }),
    });
    return builder.objectRef<Connection<Node>>(`${name}Connection`).implement({
      description: `A part of a list of ${name} objects, newest first.`,
      fields: (t) => ({
        edges: t.field({
          type: [edge],
          description: 'The items with their places.',
          resolve: ({ rows }) => [...rows] as never,
        }),
        nodes: t.field({ type: [node], description: 'The items alone.', resolve: ({ rows }) => [...rows] as never }),
        pageInfo: t.field({ type: PageInfo, description: 'Where this part stands.', resolve: (page) => page }),
        totalCount: t.int({
          description: 'How many there are in the whole list. Counted when asked for.',
          resolve: (page) => page.totalCount(),
        }),
      }),
    });
  }

  /** A field that gives a part of a list, with the arguments of every connection. */
  function connectionField<Kind extends FieldKind, Parent, Node, Args extends InputFieldMap = Record<never, never>>(
    t: PothosSchemaTypes.RootFieldBuilder<BuilderTypes<Context>, Parent, Kind>,
    { args, list, ...field }: ConnectionField<Context, Parent, Node, Args>,
  ): FieldRef<BuilderTypes<Context>, Connection<Node>, Kind> {
    return t.field({
      ...field,
      args: {
        ...args,
        first: t.arg.int(SIZE_ARGUMENTS.first),
        last: t.arg.int(SIZE_ARGUMENTS.last),
        after: t.arg.string({ description: 'Only what comes after this cursor.' }),
        before: t.arg.string({ description: 'Only what comes before this cursor.' }),
      },
      resolve: async (parent: Parent, given: InputShapeFromFields<Args> & SliceArguments, context: Context) => {
        const asked = await list(parent, given, context);
        const page = await asked?.slice(readSlice(given));
        return asked && page ? { ...page, totalCount: () => asked.count() } : null;
      },
    } as never) as never;
  }

  return { connectionType, connectionField };
}
