import { z } from 'zod';
import type { Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';

const SECONDS_RULE = 'must be a whole number from 5 to 300';
const LIMIT_RULE = 'must be a whole number from 0 to 100000';

/** How an account wants its conversations to be given out. */
export const routingSettingsSchema = z.strictObject({
  autoAccept: z
    .boolean()
    .meta({ description: 'Conversations begin at once with the operator who is chosen, without an offer.' }),
  offerSeconds: z
    .int({ error: SECONDS_RULE })
    .min(5, { error: SECONDS_RULE })
    .max(300, { error: SECONDS_RULE })
    .meta({ description: 'Seconds that an offer waits for an answer, 5 to 300.' }),
  queueLimit: z
    .int({ error: LIMIT_RULE })
    .min(0, { error: LIMIT_RULE })
    .max(100_000, { error: LIMIT_RULE })
    .meta({ description: 'Conversations that wait at most, 0 to 100000; one more is refused.' }),
  lowestPriorityFirst: z
    .boolean()
    .meta({ description: 'Priority 0 is asked before priority 10, instead of the other way round.' }),
});
export type RoutingSettings = Readonly<z.output<typeof routingSettingsSchema>>;

type SettingsRow = { readonly [name in keyof RoutingSettings]: number };

/** The settings as they are in a row of the table. */
export function settingsOf({
  autoAccept,
  offerSeconds,
  queueLimit,
  lowestPriorityFirst,
}: SettingsRow): RoutingSettings {
  return { autoAccept: autoAccept === 1, offerSeconds, queueLimit, lowestPriorityFirst: lowestPriorityFirst === 1 };
}

const read = prepare<{ accountId: number }, SettingsRow>((db, { accountId }) =>
  db
    .selectFrom('accounts')
    .select(['autoAccept', 'offerSeconds', 'queueLimit', 'lowestPriorityFirst'])
    .where('id', '=', accountId),
);

/** One transaction looks for operators again and again, and never changes these settings before. */
const known = new WeakMap<Transaction, Map<number, Promise<RoutingSettings>>>();

export function routingSettings(tx: Transaction, accountId: number): Promise<RoutingSettings> {
  const ofAccounts = known.get(tx) ?? new Map<number, Promise<RoutingSettings>>();
  known.set(tx, ofAccounts);
  const settings = ofAccounts.get(accountId) ?? readSettings(tx, accountId);
  ofAccounts.set(accountId, settings);
  return settings;
}

async function readSettings(tx: Transaction, accountId: number): Promise<RoutingSettings> {
  const [row] = await tx.run(read, { accountId });
  if (!row) throw new Error(`There is no account ${accountId}.`);
  return settingsOf(row);
}
