import type { Kysely } from 'kysely';
import type { Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import type { Tables } from '../../storage/tables.ts';
import type { AccountContext } from '../kernel/caller.ts';
import { unknownId } from '../kernel/errors.ts';
import { fold } from '../kernel/text.ts';
import type { TreeKind, TreeNode } from './tree.ts';

/** Both tables have the same columns; the types use one name for both. */
export const TREE_TABLES = { skill: 'skills', group: 'groups' as 'skills' } as const;

const prepareInsert = (table: 'skills') => prepare<Tables['skills']>((db, row) => db.insertInto(table).values(row));
const insertStatements = { skill: prepareInsert(TREE_TABLES.skill), group: prepareInsert(TREE_TABLES.group) };

const prepareAdjustCount = (table: 'skills') =>
  prepare<{ accountId: number; id: number; delta: number }>((db, { accountId, id, delta }) =>
    db
      .updateTable(table)
      .set((eb) => ({ operatorCount: eb('operatorCount', '+', delta) }))
      .where('accountId', '=', accountId)
      .where('id', '=', id),
  );
const adjustCountStatements = {
  skill: prepareAdjustCount(TREE_TABLES.skill),
  group: prepareAdjustCount(TREE_TABLES.group),
};

export async function requireNode(tx: Transaction, kind: TreeKind, accountId: number, id: number): Promise<TreeNode> {
  const row = await tx.db
    .selectFrom(TREE_TABLES[kind])
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw unknownId(kind, id);
  return toTreeNode(row);
}

export async function loadParents(
  db: Kysely<Tables>,
  kind: TreeKind,
  accountId: number,
): Promise<Map<number, number | null>> {
  const rows = await db
    .selectFrom(TREE_TABLES[kind])
    .select(['id', 'parentId'])
    .where('accountId', '=', accountId)
    .execute();
  return new Map(rows.map((row) => [row.id, row.parentId]));
}

export function insertNode(tx: Transaction, { accountId }: AccountContext, kind: TreeKind, node: TreeNode): void {
  const { id, createdAt, operatorCount } = node;
  tx.send(insertStatements[kind], { accountId, ...toColumns(node), id, createdAt, operatorCount });
}

export async function updateNode(
  tx: Transaction,
  { accountId }: AccountContext,
  kind: TreeKind,
  node: TreeNode,
): Promise<void> {
  await tx.db
    .updateTable(TREE_TABLES[kind])
    .set(toColumns(node))
    .where('accountId', '=', accountId)
    .where('id', '=', node.id)
    .execute();
}

export async function deleteNode(
  tx: Transaction,
  { accountId }: AccountContext,
  kind: TreeKind,
  id: number,
): Promise<void> {
  await tx.db.deleteFrom(TREE_TABLES[kind]).where('accountId', '=', accountId).where('id', '=', id).execute();
}

/** Updates the operator count that lists show. */
export function adjustNodeOperatorCount(
  tx: Transaction,
  { accountId }: AccountContext,
  kind: TreeKind,
  id: number,
  delta: 1 | -1,
): void {
  tx.send(adjustCountStatements[kind], { accountId, id, delta });
}

function toColumns({ name, parentId, order }: TreeNode) {
  return { name, nameFolded: fold(name), parentId, position: order };
}

export function toTreeNode(row: Tables['skills']): TreeNode {
  const { id, name, position, parentId, createdAt, operatorCount } = row;
  return { id, name, order: position, parentId, createdAt, operatorCount };
}
