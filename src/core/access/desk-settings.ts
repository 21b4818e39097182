import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import type { Tables } from '../../storage/tables.ts';
import { requiredText } from '../kernel/text.ts';

const WARNING_RULE = 'must be a whole number from 10 to 3600';
const MAX_PAUSE_REASONS = 20;
const MAX_REASON_LENGTH = 40;
const REASONS_RULE = `must be a list of at most ${MAX_PAUSE_REASONS} texts of 1 to ${MAX_REASON_LENGTH} characters, each once and not only spaces`;

/** What an account decides about the work at the desk. */
export const deskSettingsSchema = z.strictObject({
  operatorsMayTake: z.boolean().meta({
    description:
      'Operators and managers see the waiting conversations that they could serve, and may take them for themselves. Experts may not; managers of the group and admins always may.',
  }),
  shareVisitorHistory: z.boolean().meta({
    description:
      'Operators and managers who serve a visitor now may read the earlier conversations of that visitor, with any operator.',
  }),
  waitingWarningSeconds: z
    .int({ error: WARNING_RULE })
    .min(10, { error: WARNING_RULE })
    .max(3600, { error: WARNING_RULE })
    .meta({ description: 'Seconds from which desks show a waiting time in the warning colour, 10 to 3600.' }),
  pauseReasons: z
    .array(requiredText(MAX_REASON_LENGTH), { error: REASONS_RULE })
    .max(MAX_PAUSE_REASONS, { error: REASONS_RULE })
    .refine((reasons) => new Set(reasons).size === reasons.length, { error: REASONS_RULE })
    .meta({
      description: `The reasons for a pause that operators choose from, in the order in which desks show them: at most ${MAX_PAUSE_REASONS}, each of 1 to ${MAX_REASON_LENGTH} characters.`,
    }),
});
export type DeskSettings = Readonly<z.output<typeof deskSettingsSchema>>;

export const DESK_COLUMNS = [
  'operatorsMayTake',
  'shareVisitorHistory',
  'waitingWarningSeconds',
  'pauseReasons',
] as const;
type DeskRow = Pick<Selectable<Tables['accounts']>, (typeof DESK_COLUMNS)[number]>;

export function toDeskSettings(row: DeskRow): DeskSettings {
  return {
    operatorsMayTake: row.operatorsMayTake === 1,
    shareVisitorHistory: row.shareVisitorHistory === 1,
    waitingWarningSeconds: row.waitingWarningSeconds,
    pauseReasons: JSON.parse(row.pauseReasons) as string[],
  };
}

export function toDeskColumns(settings: DeskSettings): DeskRow {
  return {
    operatorsMayTake: Number(settings.operatorsMayTake),
    shareVisitorHistory: Number(settings.shareVisitorHistory),
    waitingWarningSeconds: settings.waitingWarningSeconds,
    pauseReasons: JSON.stringify(settings.pauseReasons),
  };
}

const findSettings = prepare<{ accountId: number }, DeskRow>((db, { accountId }) =>
  db.selectFrom('accounts').select(DESK_COLUMNS).where('id', '=', accountId),
);

/** Inside a transaction, or outside for what changes nothing. */
export async function loadDeskSettings(tx: Pick<Transaction, 'run'>, accountId: number): Promise<DeskSettings> {
  const [row] = await tx.run(findSettings, { accountId });
  if (!row) throw new Error(`There is no account ${accountId}.`);
  return toDeskSettings(row);
}
