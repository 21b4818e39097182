import type { Selectable } from 'kysely';
import type { Transaction } from '../../storage/database.ts';
import type { Tables } from '../../storage/tables.ts';
import type { AccountContext } from '../kernel/caller.ts';
import { unknownId } from '../kernel/errors.ts';
import { fold } from '../kernel/text.ts';
import type { Tag } from './tag.ts';

export async function requireTag(tx: Transaction, accountId: number, id: number): Promise<Tag> {
  const row = await tx.db
    .selectFrom('tags')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw unknownId('tag', id);
  return toTag(row);
}

export async function insertTag(tx: Transaction, context: AccountContext, tag: Tag): Promise<void> {
  const { id, createdAt } = tag;
  await tx.db
    .insertInto('tags')
    .values({ accountId: context.accountId, id, createdAt, ...toColumns(tag) })
    .execute();
  await insertTagWebsites(tx, context, tag);
}

export async function updateTag(tx: Transaction, context: AccountContext, before: Tag, tag: Tag): Promise<void> {
  await tx.db
    .updateTable('tags')
    .set(toColumns(tag))
    .where('accountId', '=', context.accountId)
    .where('id', '=', tag.id)
    .execute();
  await deleteTagWebsites(tx, context, before);
  await insertTagWebsites(tx, context, tag);
}

export async function deleteTag(tx: Transaction, context: AccountContext, tag: Tag): Promise<void> {
  await deleteTagWebsites(tx, context, tag);
  await tx.db.deleteFrom('tags').where('accountId', '=', context.accountId).where('id', '=', tag.id).execute();
}

async function insertTagWebsites(
  tx: Transaction,
  { accountId }: AccountContext,
  { id, websiteList }: Tag,
): Promise<void> {
  if (websiteList.length === 0) return;
  const rows = websiteList.map((websiteId) => ({ accountId, websiteId, tagId: id }));
  await tx.db.insertInto('tagWebsites').values(rows).execute();
}

async function deleteTagWebsites(
  tx: Transaction,
  { accountId }: AccountContext,
  { id, websiteList }: Tag,
): Promise<void> {
  if (websiteList.length === 0) return;
  await tx.db
    .deleteFrom('tagWebsites')
    .where('accountId', '=', accountId)
    .where('websiteId', 'in', websiteList)
    .where('tagId', '=', id)
    .execute();
}

function toColumns({ name, websiteList }: Tag) {
  return { name, nameFolded: fold(name), websiteList: JSON.stringify(websiteList) };
}

export function toTag({ id, name, websiteList, createdAt }: Selectable<Tables['tags']>): Tag {
  return { id, name, websiteList: JSON.parse(websiteList) as number[], createdAt };
}
