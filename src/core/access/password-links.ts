import type { Kysely, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Actor, Database, Transaction } from '../../storage/database.ts';
import type { Tables } from '../../storage/tables.ts';
import { deleteInBatches } from '../kernel/batched-delete.ts';
import { digest, generateSecret } from './secrets.ts';
import type { TokenOwner } from './tokens.ts';

const LINK_TTL_MS = 24 * 3600 * 1000;

export interface PasswordLink extends TokenOwner {
  readonly expiresAt: number;
  readonly creator: Pick<Actor, 'type' | 'id'>;
}

/** Replaces the operator's link. Returns its token, which is stored as a digest. */
export async function createPasswordLink(
  tx: Transaction,
  { accountId, operatorId }: TokenOwner,
  { type: creatorType, id: creatorId }: Actor,
): Promise<{ readonly token: string; readonly expiresAt: number }> {
  if (creatorType === 'visitor') throw new Error('A visitor cannot make a link.');
  await revokePasswordLink(tx, { accountId, operatorId });
  const token = generateSecret();
  const times = { createdAt: tx.now, expiresAt: tx.now + LINK_TTL_MS };
  await tx.db
    .insertInto('passwordLinks')
    .values({ tokenHash: digest(token), accountId, operatorId, ...times, creatorType, creatorId })
    .execute();
  return { token, expiresAt: times.expiresAt };
}

/** Undefined if the link is unknown, expired, replaced or already used. */
export async function findPasswordLink(db: Kysely<Tables>, token: string): Promise<PasswordLink | undefined> {
  const row = await db
    .selectFrom('passwordLinks')
    .selectAll()
    .where('tokenHash', '=', digest(token))
    .where('expiresAt', '>', (eb) => eb.fn<number>('now_ms', []))
    .executeTakeFirst();
  return row && toPasswordLink(row);
}

/** The links for an operator and those that they made; without an operator, all of the account. */
export async function loadPasswordLinks(tx: Transaction, accountId: number, about?: number): Promise<PasswordLink[]> {
  const ofAccount = tx.db.selectFrom('passwordLinks').selectAll().where('accountId', '=', accountId);
  const rows = await (about === undefined
    ? ofAccount
    : ofAccount.where((eb) =>
        eb.or([eb('operatorId', '=', about), eb('creatorType', '=', 'operator').and('creatorId', '=', about)]),
      )
  ).execute();
  return rows.map(toPasswordLink);
}

function toPasswordLink({ creatorType, creatorId, ...row }: Selectable<Tables['passwordLinks']>): PasswordLink {
  const { accountId, operatorId, expiresAt } = row;
  return { accountId, operatorId, expiresAt, creator: { type: creatorType, id: creatorId } };
}

/** Uses a link up. Returns false if another request was first, or the link was replaced. */
export async function takePasswordLink(tx: Transaction, token: string): Promise<boolean> {
  const { numDeletedRows } = await tx.db
    .deleteFrom('passwordLinks')
    .where('tokenHash', '=', digest(token))
    .where('expiresAt', '>', tx.now)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function revokePasswordLink(tx: Transaction, { accountId, operatorId }: TokenOwner): Promise<void> {
  await tx.db
    .deleteFrom('passwordLinks')
    .where('accountId', '=', accountId)
    .where('operatorId', '=', operatorId)
    .execute();
}

export function deleteExpiredPasswordLinks(database: Database): Promise<void> {
  return deleteInBatches(database, { table: 'password_links', key: ['token_hash'], where: sql`expires_at < now_ms()` });
}
