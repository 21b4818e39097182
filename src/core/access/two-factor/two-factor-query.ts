import type { Database } from '../../../storage/database.ts';
import type { TokenOwner } from '../tokens.ts';
import { countRecoveryCodes } from './recovery-codes.ts';
import { isTwoFactorRequired } from './two-factor-store.ts';

/** Whether an operator uses two-factor authentication, and must. Without secrets. */
export interface TwoFactorState {
  /** The operator. */
  readonly id: number;
  readonly isRequired: boolean;
  readonly enabledAt: number | null;
}

export class TwoFactorQuery {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async load(accountId: number, operatorIds: readonly number[]): Promise<TwoFactorState[]> {
    const rows = await this.#database.read
      .selectFrom('operators as o')
      .innerJoin('accounts as a', 'a.id', 'o.accountId')
      .leftJoin('twoFactors as f', (join) =>
        join.onRef('f.accountId', '=', 'o.accountId').onRef('f.operatorId', '=', 'o.id'),
      )
      .select(['o.id', 'o.roles', 'a.twoFactorRequired', 'f.enabledAt'])
      .where('o.accountId', '=', accountId)
      .where('o.id', 'in', operatorIds)
      .execute();
    return rows.map(({ id, roles, twoFactorRequired, enabledAt }) => ({
      id,
      isRequired: isTwoFactorRequired(twoFactorRequired, roles),
      enabledAt,
    }));
  }

  countRecoveryCodes(owner: TokenOwner): Promise<number> {
    return countRecoveryCodes(this.#database.read, owner);
  }
}
