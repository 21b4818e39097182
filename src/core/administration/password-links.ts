import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database, Transaction } from '../../storage/database.ts';
import type { Tables } from '../../storage/tables.ts';
import { findKeyCaller } from '../access/api-keys.ts';
import type { LoginLimits } from '../access/login-limits.ts';
import { setPassword } from '../access/logins.ts';
import { toNetwork } from '../access/networks.ts';
import { toOperatorCaller } from '../access/operator-callers.ts';
import {
  createPasswordLink,
  deleteExpiredPasswordLinks,
  findPasswordLink,
  loadPasswordLinks,
  type PasswordLink,
  revokePasswordLink,
  takePasswordLink,
} from '../access/password-links.ts';
import { password, rejectCommonPassword } from '../access/password-rules.ts';
import type { Passwords } from '../access/passwords.ts';
import { announce } from '../events/announce.ts';
import { type AccountContext, type Caller, type Commit, fullAccessCaller, withOrigin } from '../kernel/caller.ts';
import { validate } from '../kernel/validate.ts';
import type { Operator } from '../operators/operator.ts';
import { loadOperators, requireOperator } from '../operators/operator-store.ts';
import { canSetPassword, requireCanSetPassword } from '../operators/permissions.ts';

export interface Invitation {
  readonly operator: Operator;
  /** The token of the link; null in the answer to a retry, because only its digest is stored. */
  readonly secret: string | null;
  readonly expiresAt: number;
}

/** What the page shows before the password is set. */
export interface UsableLink {
  readonly operator: Operator;
  readonly expiresAt: number;
}

const passwordInput = z.strictObject({ password });

/**
 * Links with which operators set their password once, without the current one: to invite a new operator, or after a
 * forgotten password. Two-factor stays on.
 */
export class PasswordLinks {
  readonly #database: Database;
  readonly #limits: LoginLimits;
  readonly #passwords: Passwords;

  constructor(services: { database: Database; limits: LoginLimits; passwords: Passwords }) {
    this.#database = services.database;
    this.#limits = services.limits;
    this.#passwords = services.passwords;
  }

  /** Replaces an earlier link of the operator. */
  create(commit: Commit<Invitation>, caller: Caller, operatorId: number): Promise<Invitation> {
    return commit(async (tx) => {
      const { accountId } = caller;
      const operator = await requireOperator(tx, accountId, operatorId);
      requireCanSetPassword(caller, operator);
      const { token, expiresAt } = await createPasswordLink(tx, { accountId, operatorId }, caller.actor);
      announce(tx, caller, 'operator.invited', operatorId);
      return { operator, secret: token, expiresAt };
    });
  }

  /** Undefined for a link that cannot be used. Tries are limited like logins. */
  async find(token: string, address: string): Promise<UsableLink | undefined> {
    await this.#limits.admitAddress(address);
    return this.#findUsable(this.#database.read, token);
  }

  /** Returns false if the link cannot be used. A password that is not accepted does not use it up. */
  async setPassword(token: string, newPassword: string, address: string): Promise<boolean> {
    await this.#limits.admitAddress(address);
    const link = await this.#findUsable(this.#database.read, token);
    if (!link) return false;
    validate(passwordInput, { password: newPassword });
    await rejectCommonPassword(newPassword, link.operator.email);
    const turn = { priority: 'other', source: [`network ${toNetwork(address)}`, `link ${link.operator.id}`] } as const;
    const passwordHash = await this.#passwords.hash(newPassword, turn);
    return this.#database.transaction(async (tx) => {
      // Meanwhile another request may have used the link, or its creator may have lost the permission.
      const current = await this.#findUsable(tx.db, token);
      if (!current || !(await takePasswordLink(tx, token))) return false;
      const { accountId, operator } = current;
      const actor = { type: 'operator', id: operator.id } as const;
      const context = withOrigin({ accountId, actor }, 'password_link', address);
      await setPassword(tx, context, operator.id, passwordHash);
      announce(tx, context, 'operator.updated', operator.id, { fields: ['password'], values: {} });
      return true;
    }, link.accountId);
  }

  deleteExpired(): Promise<void> {
    return deleteExpiredPasswordLinks(this.#database);
  }

  /** A link ends when its creator may no longer set the operator's password, for example after a change of roles. */
  async #findUsable(db: Kysely<Tables>, token: string): Promise<(UsableLink & { accountId: number }) | undefined> {
    const link = await findPasswordLink(db, token);
    const operator = link && (await findTarget(db, link));
    return operator && { accountId: link.accountId, operator, expiresAt: link.expiresAt };
  }
}

/**
 * Deletes the links that their creator could not make any more, so that a later change does not bring them back. Call it
 * after a change of the operator's role or group, or without an operator after a change of the groups.
 */
export async function endUnusableLinks(
  tx: Transaction,
  { accountId }: AccountContext,
  operatorId?: number,
): Promise<void> {
  for (const link of await loadPasswordLinks(tx, accountId, operatorId)) {
    if (!(await findTarget(tx.db, link))) await revokePasswordLink(tx, link);
  }
}

/** The operator of a link, if its creator may still set their password. */
async function findTarget(db: Kysely<Tables>, link: PasswordLink): Promise<Operator | undefined> {
  const [operator] = await loadOperators(db, link.accountId, [link.operatorId]);
  const creator = await findCreator(db, link);
  return operator && creator && canSetPassword(creator, operator) ? operator : undefined;
}

/** Undefined if the operator or API key that made the link no longer exists. */
async function findCreator(db: Kysely<Tables>, { accountId, creator }: PasswordLink): Promise<Caller | undefined> {
  const { type, id } = creator;
  if (type === 'api_key') return id === null ? undefined : findKeyCaller(db, accountId, id);
  if (type !== 'operator') return fullAccessCaller(accountId, creator);
  const row = await db
    .selectFrom('operators')
    .select(['accountId', 'id as operatorId', 'roles', 'groupId'])
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && toOperatorCaller(db, row);
}
