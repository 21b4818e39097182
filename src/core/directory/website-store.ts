import type { Selectable } from 'kysely';
import type { Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import type { Tables } from '../../storage/tables.ts';
import type { AccountContext } from '../kernel/caller.ts';
import { unknownId } from '../kernel/errors.ts';
import { fold } from '../kernel/text.ts';
import { parseOpeningHours } from './opening-hours.ts';
import type { Website } from './website.ts';

type WebsiteRow = Selectable<Tables['websites']>;

const adjustCount = prepare<{ accountId: number; id: number; delta: number }>((db, { accountId, id, delta }) =>
  db
    .updateTable('websites')
    .set((eb) => ({ operatorCount: eb('operatorCount', '+', delta) }))
    .where('accountId', '=', accountId)
    .where('id', '=', id),
);

const findHours = prepare<{ accountId: number; id: number }, Pick<WebsiteRow, 'timezone' | 'openingHours'>>(
  (db, { accountId, id }) =>
    db
      .selectFrom('websites')
      .select(['timezone', 'openingHours'])
      .where('accountId', '=', accountId)
      .where('id', '=', id),
);

export type WebsiteHours = Pick<Website, 'timezone' | 'openingHours'>;

/** The part of a website that every new conversation needs. */
export async function loadWebsiteHours(
  tx: Transaction,
  accountId: number,
  id: number,
): Promise<WebsiteHours | undefined> {
  const [row] = await tx.run(findHours, { accountId, id });
  return row && { timezone: row.timezone, openingHours: parseOpeningHours(row.openingHours) };
}

export async function requireWebsiteRow(tx: Transaction, accountId: number, id: number): Promise<WebsiteRow> {
  const row = await tx.db
    .selectFrom('websites')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw unknownId('website', id);
  return row;
}

export async function insertWebsite(tx: Transaction, { accountId }: AccountContext, website: Website): Promise<void> {
  const { id } = website;
  await tx.db
    .insertInto('websites')
    .values({ accountId, id, operatorCount: 0, ...toColumns(website) })
    .execute();
}

export async function updateWebsite(tx: Transaction, { accountId }: AccountContext, website: Website): Promise<void> {
  await tx.db
    .updateTable('websites')
    .set(toColumns(website))
    .where('accountId', '=', accountId)
    .where('id', '=', website.id)
    .execute();
}

export async function deleteWebsite(tx: Transaction, { accountId }: AccountContext, id: number): Promise<void> {
  await tx.db.deleteFrom('websites').where('accountId', '=', accountId).where('id', '=', id).execute();
}

/** Updates the operator count that lists show. */
export function adjustWebsiteOperatorCount(
  tx: Transaction,
  { accountId }: AccountContext,
  id: number,
  delta: 1 | -1,
): void {
  tx.send(adjustCount, { accountId, id, delta });
}

function toColumns(website: Website) {
  const { url, label, currency, languageAdmin, timezone, secretVersion } = website;
  const folded = { urlFolded: fold(url), labelFolded: fold(label) };
  const allowedOrigins = JSON.stringify(website.allowedOrigins);
  const openingHours = website.openingHours && JSON.stringify(website.openingHours);
  const { waitingAbsenceMinutes, activeAbsenceMinutes } = website;
  const settings = { openingHours, waitingAbsenceMinutes, activeAbsenceMinutes };
  return { url, label, ...folded, currency, languageAdmin, timezone, allowedOrigins, secretVersion, ...settings };
}

export function toWebsite(row: WebsiteRow): Website {
  const { accountId, id, url, label, currency, languageAdmin, timezone, secretVersion } = row;
  return {
    id,
    url,
    label,
    clientId: accountId,
    currency,
    languageAdmin: languageAdmin as Website['languageAdmin'],
    timezone,
    allowedOrigins: JSON.parse(row.allowedOrigins) as string[],
    secretVersion,
    openingHours: parseOpeningHours(row.openingHours),
    waitingAbsenceMinutes: row.waitingAbsenceMinutes,
    activeAbsenceMinutes: row.activeAbsenceMinutes,
  };
}
