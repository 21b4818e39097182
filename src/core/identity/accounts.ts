import type { Database, Transaction } from '../../storage/database.ts';
import { announce, changesBetween } from '../announce.ts';
import { invalidField } from '../errors.ts';
import { nextId } from '../ids.ts';

/** One customer of the platform, with everything that is theirs. */
export interface Account {
  readonly id: number;
  readonly name: string;
  readonly lang: string;
  readonly premiumEnabled: boolean;
}

/** Accounts themselves belong to nobody; their identifiers are counted under this number. */
const PLATFORM = 0;

export class Accounts {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async create(tx: Transaction, name: string): Promise<Account> {
    if (name.trim() === '') throw invalidField('name', 'must not be empty');
    const account = { id: await nextId(tx, PLATFORM, 'account'), name, lang: 'en', premiumEnabled: false };
    await tx.db
      .insertInto('accounts')
      .values({ ...account, premiumEnabled: 0, createdAt: tx.now, eventPosition: 0, operatorCount: 0, adminCount: 0 })
      .execute();
    const actor = { type: 'system', id: null } as const;
    announce(tx, { accountId: account.id, actor }, 'account.created', account.id, changesBetween({}, account));
    return account;
  }

  async find(id: number): Promise<Account | undefined> {
    return (await this.#rows().where('id', '=', id).execute()).map(fromRow)[0];
  }

  async all(): Promise<Account[]> {
    return (await this.#rows().orderBy('id').execute()).map(fromRow);
  }

  /** Whether nothing was ever stored here. */
  async isEmpty(tx: Transaction): Promise<boolean> {
    return (await tx.db.selectFrom('accounts').select('id').limit(1).executeTakeFirst()) === undefined;
  }

  #rows() {
    return this.#database.read.selectFrom('accounts').select(['id', 'name', 'lang', 'premiumEnabled']);
  }
}

function fromRow(row: { id: number; name: string; lang: string; premiumEnabled: number }): Account {
  return { ...row, premiumEnabled: row.premiumEnabled === 1 };
}
