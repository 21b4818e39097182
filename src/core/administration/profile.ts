import { z } from 'zod';
import type { Database, Transaction } from '../../storage/database.ts';
import { announce } from '../events/announce.ts';
import type { Caller, Commit } from '../kernel/caller.ts';
import { text } from '../kernel/text.ts';
import { requireOperator } from '../operators/operator-store.ts';
import { requireSelfOrManaged } from '../operators/permissions.ts';

const fields = {
  status: text(0, 255).meta({ description: 'Short status text written by the operator.' }),
  description: text(0, 5000).meta({ description: 'About the operator.' }),
  facebook: text(0, 255).meta({ description: 'Facebook identifier.' }),
  twitter: text(0, 255).meta({ description: 'Twitter identifier.' }),
  city: text(0, 255).meta({ description: 'City.' }),
  country: text(0, 255).meta({ description: 'Country.' }),
};

const userId = z.int().meta({ description: 'Operator identifier.' });

export const profileSchema = z
  .object({ userId, ...fields })
  .meta({ id: 'Profile', description: 'Profile of an operator. Fields that were never set are empty.' });
export const profileUpdate = z
  .strictObject({ userId, ...fields })
  .partial()
  .meta({ id: 'ProfileUpdate', description: 'Profile fields to change; the others are left unchanged.' });
export type Profile = z.output<typeof profileSchema>;
export type ProfileUpdate = z.output<typeof profileUpdate>;

const EMPTY_PROFILE = { status: '', description: '', facebook: '', twitter: '', city: '', country: '' };

export class Profiles {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns an empty profile if none is stored. */
  async find(accountId: number, operatorId: number): Promise<Profile> {
    return (await this.load(accountId, [operatorId]))[0] as Profile;
  }

  /** In the order of the identifiers. */
  async load(accountId: number, operatorIds: readonly number[]): Promise<Profile[]> {
    const rows = await this.#database.read
      .selectFrom('operatorProfiles')
      .select(['operatorId', 'status', 'description', 'facebook', 'twitter', 'city', 'country'])
      .where('accountId', '=', accountId)
      .where('operatorId', 'in', operatorIds)
      .execute();
    const byId = new Map(rows.map(({ operatorId, ...fields }) => [operatorId, fields]));
    return operatorIds.map((userId) => ({ userId, ...EMPTY_PROFILE, ...byId.get(userId) }));
  }

  async update(commit: Commit<Profile>, caller: Caller, operatorId: number, input: ProfileUpdate): Promise<Profile> {
    return commit(async (tx) => {
      const { accountId } = caller;
      requireSelfOrManaged(caller, await requireOperator(tx, accountId, operatorId));
      const row = await tx.db
        .selectFrom('operatorProfiles')
        .select(['status', 'description', 'facebook', 'twitter', 'city', 'country'])
        .where('accountId', '=', accountId)
        .where('operatorId', '=', operatorId)
        .executeTakeFirst();
      const { userId: _userId, ...changes } = input;
      const updates = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
      const profile = { ...EMPTY_PROFILE, ...row, ...updates };
      await tx.db
        .insertInto('operatorProfiles')
        .values({ accountId, operatorId, ...profile })
        .onConflict((conflict) => conflict.columns(['accountId', 'operatorId']).doUpdateSet(profile))
        .execute();
      announce(tx, caller, 'operator.updated', operatorId, {
        fields: Object.keys(updates).map((name) => `profile.${name}`),
        values: {},
      });
      return { userId: operatorId, ...profile };
    });
  }
}

export async function deleteProfile(tx: Transaction, { accountId }: Caller, operatorId: number): Promise<void> {
  await tx.db
    .deleteFrom('operatorProfiles')
    .where('accountId', '=', accountId)
    .where('operatorId', '=', operatorId)
    .execute();
}
