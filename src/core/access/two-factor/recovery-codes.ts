import { randomInt } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import type { Tables } from '../../../storage/tables.ts';
import type { InstallationSecrets } from '../secrets.ts';
import type { TokenOwner } from '../tokens.ts';

const CODE_COUNT = 10;
const HALF_LENGTH = 5;
/** Without i, l, o and u, which are misread: 50 random bits in ten characters. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Generates one code, as `xxxxx-xxxxx`. */
function generateRecoveryCode(): string {
  const half = () => Array.from({ length: HALF_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return `${half()}-${half()}`;
}

/** Returns a typed code in its stored spelling, or undefined if it cannot be one. */
export function parseRecoveryCode(text: string): string | undefined {
  const characters = text.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');
  const isCode = characters.length === 2 * HALF_LENGTH && [...characters].every((one) => ALPHABET.includes(one));
  return isCode ? `${characters.slice(0, HALF_LENGTH)}-${characters.slice(HALF_LENGTH)}` : undefined;
}

/** Replaces the codes of the operator, and returns the new ones: they can be read only now. */
export async function replaceRecoveryCodes(
  tx: Transaction,
  secrets: InstallationSecrets,
  { accountId, operatorId }: TokenOwner,
): Promise<string[]> {
  await deleteRecoveryCodes(tx, { accountId, operatorId });
  const codes = new Set<string>();
  while (codes.size < CODE_COUNT) codes.add(generateRecoveryCode());
  const rows = [...codes].map((code) => ({
    accountId,
    operatorId,
    codeHash: secrets.digestRecoveryCode(accountId, operatorId, code),
  }));
  await tx.db.insertInto('recoveryCodes').values(rows).execute();
  return [...codes];
}

/** Uses a code up. Returns false if it is unknown or already used. */
export async function takeRecoveryCode(
  tx: Transaction,
  secrets: InstallationSecrets,
  { accountId, operatorId }: TokenOwner,
  code: string,
): Promise<boolean> {
  const { numDeletedRows } = await tx.db
    .deleteFrom('recoveryCodes')
    .where('accountId', '=', accountId)
    .where('operatorId', '=', operatorId)
    .where('codeHash', '=', secrets.digestRecoveryCode(accountId, operatorId, code))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows) === 1;
}

export async function countRecoveryCodes(db: Kysely<Tables>, { accountId, operatorId }: TokenOwner): Promise<number> {
  const row = await db
    .selectFrom('recoveryCodes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('accountId', '=', accountId)
    .where('operatorId', '=', operatorId)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

export async function deleteRecoveryCodes(tx: Transaction, { accountId, operatorId }: TokenOwner): Promise<void> {
  await tx.db
    .deleteFrom('recoveryCodes')
    .where('accountId', '=', accountId)
    .where('operatorId', '=', operatorId)
    .execute();
}
