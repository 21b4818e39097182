import { z } from 'zod';
import type { Database, Transaction } from '../../storage/database.ts';
import { announce, computeChanges } from '../events/announce.ts';
import { type AccountContext, type Caller, type Commit, requireOperatorId } from '../kernel/caller.ts';
import { requireOperator } from '../operators/operator-store.ts';

const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];
const DENSITIES = ['comfortable', 'compact'] as const;
export type Density = (typeof DENSITIES)[number];

/**
 * What an operator chooses for the pages. A new setting needs a line here and no migration: what is stored is read with
 * these defaults, also if it is no longer a valid value.
 */
const settings = {
  theme: z.enum(THEMES).catch('system'),
  density: z.enum(DENSITIES).catch('comfortable'),
  sound: z.boolean().catch(true),
  notifications: z.boolean().catch(false),
  singleKeyShortcuts: z.boolean().catch(true),
  enterSends: z.boolean().catch(true),
};
const preferencesSchema = z.object(settings);
/** Keeps settings of a newer version. */
const storedSchema = z.looseObject(settings);
export type Preferences = Readonly<z.output<typeof preferencesSchema>>;

/** Only the fields to change. Null changes nothing either. */
export type PreferencesUpdate = { readonly [name in keyof Preferences]?: Preferences[name] | null | undefined };

export class OperatorPreferences {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find(accountId: number, operatorId: number): Promise<Preferences> {
    return preferencesSchema.parse(await readStored(this.#database.read, accountId, operatorId));
  }

  async update(commit: Commit<Preferences>, caller: Caller, input: PreferencesUpdate): Promise<Preferences> {
    const { accountId } = caller;
    const operatorId = requireOperatorId(caller);
    return commit(async (tx) => {
      await requireOperator(tx, accountId, operatorId);
      const before = storedSchema.parse(await readStored(tx.db, accountId, operatorId));
      const stored = { ...before, ...omitMissing(input) };
      const { fields } = computeChanges(before, stored);
      if (fields.length === 0) return preferencesSchema.parse(stored);
      const row = { preferences: JSON.stringify(stored) };
      await tx.db
        .insertInto('operatorPreferences')
        .values({ accountId, operatorId, ...row })
        .onConflict((conflict) => conflict.columns(['accountId', 'operatorId']).doUpdateSet(row))
        .execute();
      const changes = { fields: fields.map((name) => `preferences.${name}`), values: {} };
      announce(tx, caller, 'operator.updated', operatorId, changes);
      return preferencesSchema.parse(stored);
    });
  }
}

function omitMissing(input: PreferencesUpdate): Partial<Preferences> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined && value !== null));
}

async function readStored(db: Database['read'], accountId: number, operatorId: number): Promise<object> {
  const row = await db
    .selectFrom('operatorPreferences')
    .select('preferences')
    .where('accountId', '=', accountId)
    .where('operatorId', '=', operatorId)
    .executeTakeFirst();
  return row ? (JSON.parse(row.preferences) as object) : {};
}

export async function deletePreferences(
  tx: Transaction,
  { accountId }: AccountContext,
  operatorId: number,
): Promise<void> {
  await tx.db
    .deleteFrom('operatorPreferences')
    .where('accountId', '=', accountId)
    .where('operatorId', '=', operatorId)
    .execute();
}
