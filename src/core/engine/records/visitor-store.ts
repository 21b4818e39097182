import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import type { Tables } from '../../../storage/tables.ts';
import { announce } from '../../events/announce.ts';
import type { ActorContext } from '../../kernel/caller.ts';
import { DomainError, unknownId } from '../../kernel/errors.ts';
import { nextId } from '../../kernel/ids.ts';
import { fold } from '../../kernel/text.ts';
import type { Conversation } from './conversation.ts';
import { PROFILE_FIELDS, type VisitorProfile, type VisitorUpdate } from './visitor-profile.ts';

export type VisitorRow = Selectable<Tables['visitors']>;

function rowsOf({ db }: Transaction, accountId: number) {
  return db.selectFrom('visitors').selectAll().where('accountId', '=', accountId);
}

export async function requireVisitor(tx: Transaction, accountId: number, id: number): Promise<VisitorRow> {
  const row = await rowsOf(tx, accountId).where('id', '=', id).executeTakeFirst();
  if (!row) throw unknownId('visitor', id);
  return row;
}

export function findByExternalId(
  tx: Transaction,
  { accountId }: Pick<ActorContext, 'accountId'>,
  externalId: string,
): Promise<VisitorRow | undefined> {
  return rowsOf(tx, accountId).where('externalId', '=', externalId).executeTakeFirst();
}

type NewVisitor = VisitorUpdate &
  Pick<VisitorRow, 'externalId' | 'browser'> &
  Partial<Pick<VisitorRow, 'uniqueId' | 'lastOperatorId' | 'createdAt'>>;

export async function insertVisitor(
  tx: Transaction,
  { accountId }: Pick<ActorContext, 'accountId'>,
  given: NewVisitor,
): Promise<VisitorRow> {
  const { externalId, browser, lastOperatorId = null, createdAt = tx.now } = given;
  const row = {
    ...(Object.fromEntries(PROFILE_FIELDS.map((name) => [name, given[name] ?? ''])) as VisitorProfile),
    accountId,
    id: await nextId(tx, accountId, 'visitor'),
    uniqueId: given.uniqueId ?? randomBytes(16).toString('hex'),
    externalId,
    externalIdFolded: externalId === null ? null : fold(externalId),
    browser,
    websiteList: '[]',
    lastOperatorId,
    createdAt,
    erasedAt: null,
  };
  // Two sessions for somebody new at the same moment: the second one joins the first.
  const inserted = await tx.db
    .insertInto('visitors')
    .values(row)
    .onConflict((conflict) => conflict.columns(['accountId', 'externalId']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted || externalId === null) return row;
  return (await findByExternalId(tx, { accountId }, externalId)) ?? row;
}

/** Writes what is another than before, and tells which fields that were: their values are personal. */
export async function changeVisitor(
  tx: Transaction,
  context: ActorContext,
  before: VisitorRow,
  to: VisitorUpdate & { readonly browser?: string },
): Promise<VisitorRow> {
  if (before.erasedAt !== null) throw new DomainError('state', 'The data of this visitor was removed.');
  const changed = Object.fromEntries(
    Object.entries(to).filter(([name, value]) => value !== undefined && value !== before[name as keyof VisitorRow]),
  );
  return Object.keys(changed).length === 0 ? before : update(tx, context, before, changed);
}

const NOTHING = {
  ...(Object.fromEntries(PROFILE_FIELDS.map((name) => [name, ''])) as VisitorProfile),
  browser: '',
  externalId: null,
  externalIdFolded: null,
  lastOperatorId: null,
};

/** Removes all that a visitor has told of themself, and who they were. */
export function eraseVisitor(tx: Transaction, context: ActorContext, before: VisitorRow): Promise<VisitorRow> {
  return update(tx, context, before, { ...NOTHING, erasedAt: tx.now });
}

async function update(tx: Transaction, context: ActorContext, before: VisitorRow, changed: Partial<VisitorRow>) {
  await tx.db
    .updateTable('visitors')
    .set(changed)
    .where('accountId', '=', context.accountId)
    .where('id', '=', before.id)
    .execute();
  announce(tx, context, 'visitor.updated', before.id, { fields: Object.keys(changed), values: {} });
  return { ...before, ...changed };
}

/** The visitor comes to these websites, too. */
export async function addWebsites(
  tx: Transaction,
  { accountId }: ActorContext,
  { id, websiteList }: VisitorRow,
  websiteIds: readonly number[],
): Promise<void> {
  const known = JSON.parse(websiteList) as number[];
  const added = websiteIds.filter((websiteId) => !known.includes(websiteId));
  if (added.length === 0) return;
  const rows = added.map((websiteId) => ({ accountId, websiteId, visitorId: id }));
  await tx.db.insertInto('visitorWebsites').values(rows).execute();
  await tx.db
    .updateTable('visitors')
    .set({ websiteList: JSON.stringify([...known, ...added].sort((a, b) => a - b)) })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute();
}

const remember = prepare<{ accountId: number; id: number; operatorId: number }>((db, { accountId, id, operatorId }) =>
  db
    .updateTable('visitors')
    .set({ lastOperatorId: operatorId })
    .where('accountId', '=', accountId)
    .where('id', '=', id),
);

/** The next conversation of the visitor goes to the same operator, if it can. */
export function rememberOperator(
  tx: Transaction,
  { accountId }: ActorContext,
  { visitorId, operatorId }: Pick<Conversation, 'visitorId' | 'operatorId'>,
): void {
  if (visitorId !== null && operatorId !== null) tx.send(remember, { accountId, id: visitorId, operatorId });
}
