import type { Kysely, Selectable } from 'kysely';
import type { Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import type { Tables } from '../../storage/tables.ts';
import type { AccountContext, ActorContext } from '../kernel/caller.ts';
import { fold, isStorable } from '../kernel/text.ts';
import { revokePasswordLink } from './password-links.ts';
import { revokeCodes } from './sso-codes.ts';
import { revokeAllTokens, type TokenOwner } from './tokens.ts';
import { deleteRecoveryCodes } from './two-factor/recovery-codes.ts';
import { deleteTotpSecret } from './two-factor/two-factor-store.ts';

/** The operator and password hash of an e-mail address, which is unique on the platform. */
export type StoredLogin = Selectable<Tables['logins']>;

// Prepared, because an import runs them ten thousand times in one transaction.
const insertLogin = prepare<StoredLogin>((db, row) => db.insertInto('logins').values(row));
const findByEmail = prepare<{ emailFolded: string }>((db, { emailFolded }) =>
  db.selectFrom('logins').select('operatorId').where('emailFolded', '=', emailFolded),
);

/** Normalises an e-mail address for comparison. */
export function foldEmail(email: string): string {
  return fold(email.trim());
}

export async function findLogin(db: Kysely<Tables>, email: string): Promise<StoredLogin | undefined> {
  if (!isStorable(email)) return undefined; // PostgreSQL would reject the statement
  return db.selectFrom('logins').selectAll().where('emailFolded', '=', foldEmail(email)).executeTakeFirst();
}

/** Only of this account. */
export async function findLoginOperatorIds(
  tx: Transaction,
  accountId: number,
  emails: readonly string[],
): Promise<number[]> {
  const rows = await tx.db
    .selectFrom('logins')
    .select('operatorId')
    .where('accountId', '=', accountId)
    .where('emailFolded', 'in', emails.map(foldEmail))
    .execute();
  return rows.map(({ operatorId }) => operatorId);
}

export async function isEmailTaken(tx: Transaction, email: string): Promise<boolean> {
  return (await tx.run(findByEmail, { emailFolded: foldEmail(email) })).length > 0;
}

export function findLoginOf(db: Kysely<Tables>, owner: TokenOwner): Promise<StoredLogin | undefined> {
  return db
    .selectFrom('logins')
    .selectAll()
    .where('accountId', '=', owner.accountId)
    .where('operatorId', '=', owner.operatorId)
    .executeTakeFirst();
}

export async function addLogin(
  tx: Transaction,
  { accountId }: AccountContext,
  { id, email }: { readonly id: number; readonly email: string },
  passwordHash: string | null,
): Promise<void> {
  await tx.run(insertLogin, { emailFolded: foldEmail(email), accountId, operatorId: id, passwordHash });
}

/** Also revokes the link to set a password: its receiver read the previous address. */
export async function changeLoginEmail(
  tx: Transaction,
  { accountId }: AccountContext,
  { id, email }: { readonly id: number; readonly email: string },
): Promise<void> {
  await updateLogin(tx, { accountId, operatorId: id }, { emailFolded: foldEmail(email) });
  await revokePasswordLink(tx, { accountId, operatorId: id });
}

/** Sets the password and revokes all tokens, single sign-on codes and the password link of the operator. */
export async function setPassword(
  tx: Transaction,
  context: ActorContext,
  operatorId: number,
  passwordHash: string,
): Promise<void> {
  const owner = { accountId: context.accountId, operatorId };
  await updateLogin(tx, owner, { passwordHash });
  await revokeCodes(tx, owner);
  await revokePasswordLink(tx, owner);
  await revokeAllTokens(tx, context, { operatorId, reason: 'password_changed' });
}

export async function deleteLogin(tx: Transaction, context: ActorContext, operatorId: number): Promise<void> {
  const { accountId } = context;
  const owner = { accountId, operatorId };
  await revokeCodes(tx, owner);
  await revokePasswordLink(tx, owner);
  await revokeAllTokens(tx, context, { operatorId, reason: 'deleted' });
  await deleteTotpSecret(tx, owner);
  await deleteRecoveryCodes(tx, owner);
  await tx.db.deleteFrom('logins').where('accountId', '=', accountId).where('operatorId', '=', operatorId).execute();
}

async function updateLogin(tx: Transaction, owner: TokenOwner, columns: Partial<StoredLogin>): Promise<void> {
  await tx.db
    .updateTable('logins')
    .set(columns)
    .where('accountId', '=', owner.accountId)
    .where('operatorId', '=', owner.operatorId)
    .execute();
}
