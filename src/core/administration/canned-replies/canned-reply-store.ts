import type { Expression, Kysely, Selectable } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import type { Tables } from '../../../storage/tables.ts';
import type { AccountContext } from '../../kernel/caller.ts';
import { unknownId } from '../../kernel/errors.ts';
import { fold } from '../../kernel/text.ts';
import type { CannedReply, CannedReplyOwner, CannedReplyScope } from './canned-reply.ts';

type Row = Selectable<Tables['cannedReplies']>;

/** The groups and the operator whose replies to read, and whether to read those of the account. */
export interface ReplySelection {
  readonly operatorId: number | null;
  readonly groups: readonly number[] | 'all';
  readonly hasAccount: boolean;
}

/** No operator or group has it. */
const NO_OWNER = 0;

export async function loadReplies(
  db: Kysely<Tables>,
  accountId: number,
  { operatorId, groups, hasAccount }: ReplySelection,
): Promise<CannedReply[]> {
  const rows = await db
    .selectFrom('cannedReplies')
    .selectAll()
    .where('accountId', '=', accountId)
    .where((eb) => {
      const isOf = (scope: CannedReplyScope) => eb('scope', '=', scope);
      return eb.or([
        eb.and([isOf('own'), eb('ownerId', '=', operatorId ?? NO_OWNER)]),
        groups === 'all' ? isOf('group') : eb.and([isOf('group'), eb('ownerId', 'in', [NO_OWNER, ...groups])]),
        ...(hasAccount ? [isOf('account')] : []),
      ]);
    })
    .execute();
  return rows.map(toCannedReply);
}

export async function findReply(db: Kysely<Tables>, accountId: number, id: number): Promise<CannedReply | undefined> {
  const row = await db
    .selectFrom('cannedReplies')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && toCannedReply(row);
}

export async function requireReply(tx: Transaction, { accountId }: AccountContext, id: number): Promise<CannedReply> {
  const reply = await findReply(tx.db, accountId, id);
  if (!reply) throw unknownId('canned reply', id);
  return reply;
}

export async function loadRepliesOf(
  tx: Transaction,
  { accountId }: AccountContext,
  owner: CannedReplyOwner,
): Promise<CannedReply[]> {
  const rows = await tx.db
    .selectFrom('cannedReplies')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('scope', '=', owner.scope)
    .where('ownerId', '=', owner.id)
    .execute();
  return rows.map(toCannedReply);
}

export async function countRepliesOfGroups(tx: Transaction, { accountId }: AccountContext): Promise<number> {
  const { count } = await tx.db
    .selectFrom('cannedReplies')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('accountId', '=', accountId)
    .where('scope', '=', 'group' satisfies CannedReplyScope)
    .executeTakeFirstOrThrow();
  return count;
}

const insertStatement = prepare<Row>((db, row) => db.insertInto('cannedReplies').values(row));
const updateStatement = prepare<Row>((db, { accountId, id, ...columns }) =>
  db
    .updateTable('cannedReplies')
    .set(columns)
    .where('accountId', '=', accountId as Expression<number>)
    .where('id', '=', id as Expression<number>),
);

export function insertReply(tx: Transaction, { accountId }: AccountContext, reply: CannedReply): void {
  tx.send(insertStatement, toRow(accountId, reply));
}

export function updateReply(tx: Transaction, { accountId }: AccountContext, reply: CannedReply): void {
  tx.send(updateStatement, toRow(accountId, reply));
}

export async function deleteReply(tx: Transaction, { accountId }: AccountContext, id: number): Promise<void> {
  await tx.db.deleteFrom('cannedReplies').where('accountId', '=', accountId).where('id', '=', id).execute();
}

/** For an operator or a group that is deleted. */
export async function deleteRepliesOf(
  tx: Transaction,
  { accountId }: AccountContext,
  { scope, id }: CannedReplyOwner,
): Promise<void> {
  await tx.db
    .deleteFrom('cannedReplies')
    .where('accountId', '=', accountId)
    .where('scope', '=', scope)
    .where('ownerId', '=', id)
    .execute();
}

function toRow(accountId: number, { id, owner, shortcut, text, language, updatedAt }: CannedReply): Row {
  const ownerColumns = { scope: owner.scope, ownerId: owner.id };
  const content = { shortcut, shortcutFolded: fold(shortcut), language: language ?? '', text };
  return { accountId, id, ...ownerColumns, ...content, updatedAt };
}

function toCannedReply({ id, scope, ownerId, shortcut, text, language, updatedAt }: Row): CannedReply {
  const owner = { scope: scope as CannedReplyScope, id: ownerId };
  return { id, owner, shortcut, text, language: language === '' ? null : language, updatedAt };
}
