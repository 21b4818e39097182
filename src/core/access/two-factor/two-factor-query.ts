import type { Database } from '../../../storage/database.ts';
import type { TokenOwner } from '../tokens.ts';
import { countRecoveryCodes } from './recovery-codes.ts';
import { loadTwoFactorStates, type TwoFactorState } from './two-factor-store.ts';

export class TwoFactorQuery {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  load(accountId: number, operatorIds: readonly number[]): Promise<TwoFactorState[]> {
    return loadTwoFactorStates(this.#database.read, accountId, operatorIds);
  }

  countRecoveryCodes(owner: TokenOwner): Promise<number> {
    return countRecoveryCodes(this.#database.read, owner);
  }
}
