import type { Database, Transaction } from '../../storage/database.ts';
import { digest } from './secrets.ts';
import type { TokenOwner } from './tokens.ts';

/** The time between opening the link and the page exchanging the code for a token. */
const CODE_TTL_MS = 60_000;

/** Who a code is for, and the version of the key that it was issued for. */
export interface CodeOwner extends TokenOwner {
  readonly ssoVersion: number;
}

export async function insertCode(tx: Transaction, code: string, owner: CodeOwner): Promise<void> {
  await tx.db
    .insertInto('ssoCodes')
    .values({ codeHash: digest(code), ...owner, expiresAt: tx.now + CODE_TTL_MS })
    .execute();
}

/** Returns the account of a code, which may have expired. */
export async function findCodeAccount(database: Database, code: string): Promise<number | undefined> {
  const row = await database.read
    .selectFrom('ssoCodes')
    .select('accountId')
    .where('codeHash', '=', digest(code))
    .executeTakeFirst();
  return row?.accountId;
}

/** Uses a code up; undefined if it is unknown, expired or already used. */
export function takeCode(tx: Transaction, code: string): Promise<CodeOwner | undefined> {
  return tx.db
    .deleteFrom('ssoCodes')
    .where('codeHash', '=', digest(code))
    .where('expiresAt', '>', tx.now)
    .returning(['accountId', 'operatorId', 'ssoVersion'])
    .executeTakeFirst();
}

export async function revokeCodes(tx: Transaction, { accountId, operatorId }: TokenOwner): Promise<void> {
  await tx.db.deleteFrom('ssoCodes').where('accountId', '=', accountId).where('operatorId', '=', operatorId).execute();
}

export async function deleteExpiredCodes(database: Database): Promise<void> {
  await database.transaction((tx) => tx.db.deleteFrom('ssoCodes').where('expiresAt', '<', tx.now).execute());
}
