import { z } from 'zod';
import type { Transaction } from '../../storage/database.ts';
import { NO_FACTS, prepare } from '../../storage/prepared-statement.ts';

const SECONDS_RULE = 'must be a whole number from 5 to 300';
const MINUTES_RULE = 'must be a whole number from 0 to 1440';
const LIMIT_RULE = 'must be a whole number from 0 to 100000';

/** How an account assigns conversations to operators. */
export const routingSettingsSchema = z.strictObject({
  autoAccept: z
    .boolean()
    .meta({ description: 'Conversations start immediately with the chosen operator, without an offer.' }),
  offerSeconds: z
    .int({ error: SECONDS_RULE })
    .min(5, { error: SECONDS_RULE })
    .max(300, { error: SECONDS_RULE })
    .meta({ description: 'Seconds until an offer expires, 5 to 300.' }),
  queueLimit: z
    .int({ error: LIMIT_RULE })
    .min(0, { error: LIMIT_RULE })
    .max(100_000, { error: LIMIT_RULE })
    .meta({ description: 'Maximum number of queued conversations, 0 to 100000. Further ones are refused.' }),
  lowestPriorityFirst: z.boolean().meta({
    description: 'Operators with priority 0 are chosen before those with priority 10, instead of the reverse.',
  }),
  idleMinutes: z.int({ error: MINUTES_RULE }).min(0, { error: MINUTES_RULE }).max(1440, { error: MINUTES_RULE }).meta({
    description:
      'Minutes without a message of either side after which a running chat is closed, 0 to 1440. Both sides are warned after half of them. With 0 no chat is closed for it.',
  }),
});
export type RoutingSettings = Readonly<z.output<typeof routingSettingsSchema>>;

type SettingsRow = { readonly [name in keyof RoutingSettings]: number };

export function toRoutingSettings({
  autoAccept,
  offerSeconds,
  queueLimit,
  lowestPriorityFirst,
  idleMinutes,
}: SettingsRow): RoutingSettings {
  const flags = { autoAccept: autoAccept === 1, lowestPriorityFirst: lowestPriorityFirst === 1 };
  return { ...flags, offerSeconds, queueLimit, idleMinutes };
}

const findSettings = prepare<{ accountId: number }, SettingsRow>(
  (db, { accountId }) =>
    db
      .selectFrom('accounts')
      .select(['autoAccept', 'offerSeconds', 'queueLimit', 'lowestPriorityFirst', 'idleMinutes'])
      .where('id', '=', accountId),
  { reads: NO_FACTS },
);

/** Routing reads the settings many times in one transaction, and no transaction changes them before that. */
const settingsByTransaction = new WeakMap<Transaction, Map<number, Promise<RoutingSettings>>>();

export function loadRoutingSettings(tx: Transaction, accountId: number): Promise<RoutingSettings> {
  const settingsByAccount = settingsByTransaction.get(tx) ?? new Map<number, Promise<RoutingSettings>>();
  settingsByTransaction.set(tx, settingsByAccount);
  const settings = settingsByAccount.get(accountId) ?? querySettings(tx, accountId);
  settingsByAccount.set(accountId, settings);
  return settings;
}

async function querySettings(tx: Transaction, accountId: number): Promise<RoutingSettings> {
  const [row] = await tx.run(findSettings, { accountId });
  if (!row) throw new Error(`There is no account ${accountId}.`);
  return toRoutingSettings(row);
}
