import type { Kysely, Selectable } from 'kysely';
import type { Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import type { Tables } from '../../storage/tables.ts';
import type { AccountContext } from '../kernel/caller.ts';
import { fold } from '../kernel/text.ts';
import { endTokensOf, type TokenOwner } from './tokens.ts';

/** Whom an e-mail leads to, on the whole platform, and the hash of their password. */
export type StoredLogin = Selectable<Tables['logins']>;

// An import runs these ten thousand times in one transaction.
const insertLogin = prepare<StoredLogin>((db, row) => db.insertInto('logins').values(row));
const findEmail = prepare<{ emailFolded: string }>((db, { emailFolded }) =>
  db.selectFrom('logins').select('operatorId').where('emailFolded', '=', emailFolded),
);

/** The form in which e-mails of logins compare. */
export function loginName(email: string): string {
  return fold(email.trim());
}

export function findLogin(db: Kysely<Tables>, email: string): Promise<StoredLogin | undefined> {
  return db.selectFrom('logins').selectAll().where('emailFolded', '=', loginName(email)).executeTakeFirst();
}

export async function isLogin(tx: Transaction, email: string): Promise<boolean> {
  return (await tx.run(findEmail, { emailFolded: loginName(email) })).length > 0;
}

export async function passwordHashOf(db: Kysely<Tables>, owner: TokenOwner): Promise<string | null> {
  const login = await db
    .selectFrom('logins')
    .select('passwordHash')
    .where('accountId', '=', owner.accountId)
    .where('operatorId', '=', owner.operatorId)
    .executeTakeFirst();
  return login?.passwordHash ?? null;
}

export async function addLogin(
  tx: Transaction,
  { accountId }: AccountContext,
  { id, email }: { readonly id: number; readonly email: string },
  passwordHash: string | null,
): Promise<void> {
  await tx.run(insertLogin, { emailFolded: loginName(email), accountId, operatorId: id, passwordHash });
}

export function changeLoginEmail(
  tx: Transaction,
  { accountId }: AccountContext,
  { id, email }: { readonly id: number; readonly email: string },
): Promise<void> {
  return update(tx, { accountId, operatorId: id }, { emailFolded: loginName(email) });
}

/** A new password ends every token that the old one gave. */
export async function setPassword(
  tx: Transaction,
  { accountId }: AccountContext,
  operatorId: number,
  passwordHash: string,
): Promise<void> {
  const owner = { accountId, operatorId };
  await update(tx, owner, { passwordHash });
  await endTokensOf(tx, owner);
}

export async function deleteLogin(tx: Transaction, { accountId }: AccountContext, operatorId: number): Promise<void> {
  await endTokensOf(tx, { accountId, operatorId });
  await tx.db.deleteFrom('logins').where('accountId', '=', accountId).where('operatorId', '=', operatorId).execute();
}

async function update(tx: Transaction, owner: TokenOwner, columns: Partial<StoredLogin>): Promise<void> {
  await tx.db
    .updateTable('logins')
    .set(columns)
    .where('accountId', '=', owner.accountId)
    .where('operatorId', '=', owner.operatorId)
    .execute();
}
