import type { Selectable } from 'kysely';
import type { Transaction } from '../../storage/database.ts';
import { NO_FACTS, prepare } from '../../storage/prepared-statement.ts';
import type { Tables } from '../../storage/tables.ts';
import type { AccountContext } from '../kernel/caller.ts';
import { unknownId } from '../kernel/errors.ts';
import { fold } from '../kernel/text.ts';
import { parseOpeningHours } from './opening-hours.ts';
import type { TreeKind } from './tree.ts';
import type { Website } from './website.ts';
import { formatWidget, parseWidget } from './widget.ts';

type WebsiteRow = Selectable<Tables['websites']>;

const adjustCount = prepare<{ accountId: number; id: number; delta: number }>((db, { accountId, id, delta }) =>
  db
    .updateTable('websites')
    .set((eb) => ({ operatorCount: eb('operatorCount', '+', delta) }))
    .where('accountId', '=', accountId)
    .where('id', '=', id),
);

const findStartSettings = prepare<
  { accountId: number; id: number },
  Pick<WebsiteRow, 'timezone' | 'openingHours' | 'widget'>
>(
  (db, { accountId, id }) =>
    db
      .selectFrom('websites')
      .select(['timezone', 'openingHours', 'widget'])
      .where('accountId', '=', accountId)
      .where('id', '=', id),
  { reads: NO_FACTS },
);

export type StartSettings = Pick<Website, 'timezone' | 'openingHours' | 'widget'>;

/** The settings that every new conversation needs. */
export async function loadStartSettings(
  tx: Transaction,
  accountId: number,
  id: number,
): Promise<StartSettings | undefined> {
  const [row] = await tx.run(findStartSettings, { accountId, id });
  if (!row) return undefined;
  const { timezone, openingHours, widget } = row;
  return { timezone, openingHours: parseOpeningHours(openingHours), widget: parseWidget(widget) };
}

/** Counts the websites whose conversations ask for a skill or group. */
export async function countWebsitesAskingFor(
  tx: Transaction,
  { accountId }: AccountContext,
  kind: TreeKind,
  id: number,
): Promise<number> {
  const rows = await tx.db
    .selectFrom('websites')
    .select('widget')
    .where('accountId', '=', accountId)
    .where('widget', 'is not', null)
    .execute();
  return rows.filter(({ widget }) => parseWidget(widget)[`${kind}Id`] === id).length;
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
  const widget = formatWidget(website.widget);
  const settings = { openingHours, widget, waitingAbsenceMinutes, activeAbsenceMinutes };
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
    widget: parseWidget(row.widget),
  };
}
