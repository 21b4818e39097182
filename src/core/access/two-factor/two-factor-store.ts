import { type Kysely, type Selectable, sql } from 'kysely';
import type { Database, Transaction } from '../../../storage/database.ts';
import type { Tables } from '../../../storage/tables.ts';
import { deleteInBatches } from '../../kernel/batched-delete.ts';
import type { Role } from '../../kernel/roles.ts';
import type { InstallationSecrets } from '../secrets.ts';
import type { TokenOwner } from '../tokens.ts';

/** Secrets are encrypted: `sealTotpSecret` and `unsealTotpSecret`. */
export type StoredTwoFactor = Omit<Selectable<Tables['twoFactors']>, keyof TokenOwner>;

export function findTwoFactor(db: Kysely<Tables>, owner: TokenOwner): Promise<StoredTwoFactor | undefined> {
  return db
    .selectFrom('twoFactors')
    .select(['secret', 'enabledAt', 'lastStep', 'pendingSecret', 'pendingUntil'])
    .where('accountId', '=', owner.accountId)
    .where('operatorId', '=', owner.operatorId)
    .executeTakeFirst();
}

/** The context binds the secret to the operator: it cannot be opened in another row. */
export function sealTotpSecret(secrets: InstallationSecrets, owner: TokenOwner, secret: string): string {
  return secrets.seal(secret, toSealContext(owner));
}

/** Returns undefined if it was sealed by another installation, for another operator, or was modified. */
export function unsealTotpSecret(
  secrets: InstallationSecrets,
  owner: TokenOwner,
  sealed: string | null | undefined,
): string | undefined {
  return sealed ? secrets.unseal(sealed, toSealContext(owner)) : undefined;
}

function toSealContext({ accountId, operatorId }: TokenOwner): string {
  return `two_factor ${accountId}.${operatorId}`;
}

/** Stores a secret that the operator has not confirmed yet. The previous one stays in use. */
export async function storePendingSecret(
  tx: Transaction,
  { accountId, operatorId }: TokenOwner,
  pending: { readonly pendingSecret: string; readonly pendingUntil: number },
): Promise<void> {
  await tx.db
    .insertInto('twoFactors')
    .values({ accountId, operatorId, secret: null, enabledAt: null, lastStep: null, ...pending })
    .onConflict((conflict) => conflict.columns(['accountId', 'operatorId']).doUpdateSet(pending))
    .execute();
}

/** Puts the pending secret in use. `lastStep`: the code that confirmed it cannot be used again. */
export async function confirmPendingSecret(
  tx: Transaction,
  owner: TokenOwner,
  secret: string,
  lastStep: number,
): Promise<void> {
  await tx.db
    .updateTable('twoFactors')
    .set({ secret, lastStep, enabledAt: tx.now, pendingSecret: null, pendingUntil: null })
    .where('accountId', '=', owner.accountId)
    .where('operatorId', '=', owner.operatorId)
    .execute();
}

/** Uses the code of a step up. Returns false if it, or a later one, was used before. */
export async function advanceTotpStep(tx: Transaction, owner: TokenOwner, step: number): Promise<boolean> {
  const { numUpdatedRows } = await tx.db
    .updateTable('twoFactors')
    .set({ lastStep: step })
    .where('accountId', '=', owner.accountId)
    .where('operatorId', '=', owner.operatorId)
    .where('enabledAt', 'is not', null)
    .where((eb) => eb.or([eb('lastStep', 'is', null), eb('lastStep', '<', step)]))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function deleteTotpSecret(tx: Transaction, { accountId, operatorId }: TokenOwner): Promise<void> {
  await tx.db
    .deleteFrom('twoFactors')
    .where('accountId', '=', accountId)
    .where('operatorId', '=', operatorId)
    .execute();
}

/** Deletes secrets that were not confirmed in time, and keeps those in use. */
export async function deleteExpiredPending(database: Database): Promise<void> {
  const where = sql`enabled_at is null and pending_until < now_ms()`;
  await deleteInBatches(database, { table: 'two_factors', key: ['account_id', 'operator_id'], where });
  await database.transaction((tx) =>
    tx.db
      .updateTable('twoFactors')
      .set({ pendingSecret: null, pendingUntil: null })
      .where('pendingUntil', '<', tx.now)
      .execute(),
  );
}

/** Whether an operator uses two-factor authentication, and must. Without secrets. */
export interface TwoFactorState {
  /** The operator. */
  readonly id: number;
  readonly email: string;
  readonly isRequired: boolean;
  readonly enabledAt: number | null;
}

export async function loadTwoFactorStates(
  db: Kysely<Tables>,
  accountId: number,
  operatorIds: readonly number[],
): Promise<TwoFactorState[]> {
  const rows = await db
    .selectFrom('operators as o')
    .innerJoin('accounts as a', 'a.id', 'o.accountId')
    .leftJoin('twoFactors as f', (join) =>
      join.onRef('f.accountId', '=', 'o.accountId').onRef('f.operatorId', '=', 'o.id'),
    )
    .select(['o.id', 'o.email', 'o.roles', 'a.twoFactorRequired', 'f.enabledAt'])
    .where('o.accountId', '=', accountId)
    .where('o.id', 'in', operatorIds)
    .execute();
  return rows.map(({ id, email, roles, twoFactorRequired, enabledAt }) => ({
    id,
    email,
    isRequired: isTwoFactorRequired(twoFactorRequired, roles),
    enabledAt,
  }));
}

/** Whether the account requires two-factor authentication for a role of the operator. Both are JSON lists. */
export function isTwoFactorRequired(requiredRoles: string, operatorRoles: string): boolean {
  if (requiredRoles === '[]') return false;
  const required = JSON.parse(requiredRoles) as Role[];
  return (JSON.parse(operatorRoles) as Role[]).some((role) => required.includes(role));
}
