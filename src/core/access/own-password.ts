import type { Database } from '../../storage/database.ts';
import type { ActorContext } from '../kernel/caller.ts';
import { invalidField } from '../kernel/errors.ts';
import type { HashTurn } from './hash-queue.ts';
import type { LoginLimits } from './login-limits.ts';
import { findLoginOf } from './logins.ts';
import type { Passwords } from './passwords.ts';

/**
 * Asks operators for their password again, before changes with which an attacker with an open session could take over
 * the account.
 */
export class OwnPassword {
  readonly #database: Database;
  readonly #limits: LoginLimits;
  readonly #passwords: Passwords;

  constructor(dependencies: { database: Database; limits: LoginLimits; passwords: Passwords }) {
    this.#database = dependencies.database;
    this.#limits = dependencies.limits;
    this.#passwords = dependencies.passwords;
  }

  /** Throws unless it is the operator's password. Slow: call it before the transaction. */
  async require(caller: ActorContext, operatorId: number, password: string): Promise<void> {
    const login = await findLoginOf(this.#database.read, { accountId: caller.accountId, operatorId });
    await this.#limits.admit(login?.emailFolded ?? ''); // limited like a login: it could be a password guess
    const matches = await this.#passwords.verify(password, login?.passwordHash ?? null, toHashTurn(caller));
    if (!matches) throw invalidField('currentPassword', 'must be the current password');
  }
}

export function toHashTurn({ accountId, actor }: ActorContext): HashTurn {
  return { priority: 'other', source: [`account ${accountId}`, `${actor.type} ${actor.id}`] };
}
