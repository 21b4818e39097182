import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

/** By field of the rows of a list: loads what this field of all rows needs. Permissions are checked by the field. */
export type Preloads<Row, Context> = Readonly<
  Record<string, (rows: readonly Row[], context: Context) => Promise<void> | undefined>
>;

type Fragments = GraphQLResolveInfo['fragments'];

/** The fields between a connection and its rows. */
const ROW_PATH: ReadonlySet<string> = new Set(['nodes', 'edges', 'node']);

/** Loads what the selected fields of the rows of a connection need, before the rows are completed one by one. */
export async function preloadRows<Row, Context>(
  rows: readonly Row[],
  preloads: Preloads<Row, Context>,
  context: Context,
  { fieldNodes, fragments }: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>,
): Promise<void> {
  const selected = fieldNodes.map((node) => findRowFields(node, fragments));
  const names = Object.keys(preloads).filter((name) => selected.some((fields) => fields.has(name)));
  if (names.length > 0 && rows.length > 0) await Promise.all(names.map((name) => preloads[name]?.(rows, context)));
}

/** By the field of the connection: documents are parsed once. */
const rowFields = new WeakMap<FieldNode, ReadonlySet<string>>();

/** Without fields that have a directive, which may skip them. */
function findRowFields(connection: FieldNode, fragments: Fragments): ReadonlySet<string> {
  const known = rowFields.get(connection);
  if (known) return known;
  const names = new Set<string>();
  addRowFields(names, connection.selectionSet, fragments);
  rowFields.set(connection, names);
  return names;
}

function addRowFields(names: Set<string>, set: SelectionSetNode | undefined, fragments: Fragments): void {
  for (const selection of set?.selections ?? []) {
    if (selection.directives && selection.directives.length > 0) continue;
    if (selection.kind === Kind.FRAGMENT_SPREAD)
      addRowFields(names, fragments[selection.name.value]?.selectionSet, fragments);
    else if (selection.kind === Kind.INLINE_FRAGMENT || ROW_PATH.has(selection.name.value))
      addRowFields(names, selection.selectionSet, fragments);
    else names.add(selection.name.value);
  }
}
