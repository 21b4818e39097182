import type { OutputRef } from '@pothos/core';
import { parseId } from '../../core/kernel/ids.ts';
import type { Slice, SlicePage } from '../../core/kernel/slice.ts';
import type { AnyBuilder } from './builder.ts';
import { graphqlError } from './errors.ts';

const DEFAULT_SIZE = 20;
const LARGEST = 100;

/** A part of a list, with what is needed to ask for the next one. */
export interface Connection<Node> extends SlicePage<Node> {
  /** Counted only when it is asked for. */
  totalCount(): Promise<number> | number;
}

export interface SliceArguments {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
}

/** The slice that the arguments of a connection mean. */
export function readSlice({ first, after, last, before }: SliceArguments): Slice {
  for (const [name, size] of [
    ['first', first],
    ['last', last],
  ] as const) {
    if (size !== null && size !== undefined && (size < 0 || size > LARGEST)) {
      throw graphqlError('BAD_REQUEST', `${name} must be between 0 and ${LARGEST}.`);
    }
  }
  if (typeof first === 'number' && typeof last === 'number')
    throw graphqlError('BAD_REQUEST', 'Give first or last, not both.');
  return {
    limit: first ?? last ?? DEFAULT_SIZE,
    after: readCursor('after', after),
    before: readCursor('before', before),
    backwards: typeof last === 'number',
  };
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

/** The arguments of every connection. */
export const SLICE_ARGUMENTS = {
  first: { description: 'How many from the beginning: 20 if nothing is said, 100 at most.' },
  after: { description: 'Only what comes after this cursor.' },
  last: { description: 'How many from the end, instead of `first`; 100 at most.' },
  before: { description: 'Only what comes before this cursor.' },
} as const;

/** The types of every connection. */
export function connectionTypes(builder: AnyBuilder) {
  const PageInfo = builder.objectRef<SlicePage<{ id: number }>>('PageInfo').implement({
    description: 'Where a page stands in its list.',
    fields: (t) => ({
      hasNextPage: t.boolean({ description: 'Whether more comes after this page.', resolve: (page) => page.hasNext }),
      hasPreviousPage: t.boolean({
        description: 'Whether something comes before this page.',
        resolve: (page) => page.hasPrevious,
      }),
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
        node: t.field({
          type: node as OutputRef<Node>,
          description: 'The object itself.',
          resolve: (item) => item as never,
        }),
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
        nodes: t.field({
          type: [node as OutputRef<Node>],
          description: 'The items alone.',
          resolve: ({ rows }) => [...rows] as never,
        }),
        pageInfo: t.field({ type: PageInfo, description: 'Where this part stands.', resolve: (page) => page }),
        totalCount: t.int({
          description: 'How many there are in the whole list. Counted when asked for.',
          resolve: (page) => page.totalCount(),
        }),
      }),
    });
  }

  return { connectionType };
}
