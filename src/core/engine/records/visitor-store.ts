import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { NO_FACTS, prepare } from '../../../storage/prepared-statement.ts';
import type { Tables } from '../../../storage/tables.ts';
import { announce } from '../../events/announce.ts';
import type { AccountContext, ActorContext } from '../../kernel/caller.ts';
import { DomainError, unknownId } from '../../kernel/errors.ts';
import { nextId } from '../../kernel/ids.ts';
import { fold } from '../../kernel/text.ts';
import type { Conversation } from './conversation.ts';
import { findOpenConversations } from './conversation-store.ts';
import { PROFILE_FIELDS, type VisitorProfile, type VisitorUpdate } from './visitor-profile.ts';

export type VisitorRow = Selectable<Tables['visitors']>;

function selectRows({ db }: Transaction, accountId: number) {
  return db.selectFrom('visitors').selectAll().where('accountId', '=', accountId);
}

export function findVisitor(tx: Transaction, accountId: number, id: number): Promise<VisitorRow | undefined> {
  return selectRows(tx, accountId).where('id', '=', id).executeTakeFirst();
}

export async function requireVisitor(tx: Transaction, accountId: number, id: number): Promise<VisitorRow> {
  const row = await findVisitor(tx, accountId, id);
  if (!row) throw unknownId('visitor', id);
  return row;
}

export function findByExternalId(
  tx: Transaction,
  { accountId }: AccountContext,
  externalId: string,
): Promise<VisitorRow | undefined> {
  return selectRows(tx, accountId).where('externalId', '=', externalId).executeTakeFirst();
}

type NewVisitor = VisitorUpdate &
  Pick<VisitorRow, 'externalId' | 'browser'> &
  Partial<Pick<VisitorRow, 'uniqueId' | 'lastOperatorId' | 'createdAt'>>;

export async function insertVisitor(
  tx: Transaction,
  { accountId }: AccountContext,
  input: NewVisitor,
): Promise<VisitorRow> {
  const { externalId, browser, lastOperatorId = null, createdAt = tx.now } = input;
  const row = {
    ...(Object.fromEntries(PROFILE_FIELDS.map((name) => [name, input[name] ?? ''])) as VisitorProfile),
    accountId,
    id: await nextId(tx, accountId, 'visitor'),
    uniqueId: input.uniqueId ?? randomBytes(16).toString('hex'),
    externalId,
    externalIdFolded: externalId === null ? null : fold(externalId),
    browser,
    websiteList: '[]',
    lastOperatorId,
    createdAt,
    erasedAt: null,
    lastSeenAt: tx.now,
    isKept: 0,
  };
  // Two concurrent sessions with the same new external id share one visitor.
  const inserted = await tx.db
    .insertInto('visitors')
    .values(row)
    .onConflict((conflict) => conflict.columns(['accountId', 'externalId']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted || externalId === null) return row;
  return (await findByExternalId(tx, { accountId }, externalId)) ?? row;
}

/**
 * Writes the fields that differ, and announces their names only: the values are personal. Each operator with an offered
 * or active conversation of the visitor gets an event, so that all their desks show the change.
 */
export async function updateVisitor(
  tx: Transaction,
  context: ActorContext,
  before: VisitorRow,
  input: VisitorUpdate & { readonly browser?: string },
): Promise<VisitorRow> {
  if (before.erasedAt !== null) throw new DomainError('state', 'The data of this visitor was erased.');
  const changes = Object.fromEntries(
    Object.entries(input).filter(([name, value]) => value !== undefined && value !== before[name as keyof VisitorRow]),
  );
  if (Object.keys(changes).length === 0) return before;
  const { accountId, id: visitorId } = before;
  const conversations = await findOpenConversations(tx, { accountId, visitorId });
  const operatorIds = new Set(conversations.flatMap(({ operatorId }) => operatorId ?? []));
  return writeChanges(tx, context, before, changes, [...operatorIds]);
}

/** The caller has checked that no other visitor has the identifier. */
export function setExternalId(
  tx: Transaction,
  context: ActorContext,
  before: VisitorRow,
  externalId: string,
): Promise<VisitorRow> {
  return writeChanges(tx, context, before, { externalId, externalIdFolded: fold(externalId) });
}

const ERASED_FIELDS = {
  ...(Object.fromEntries(PROFILE_FIELDS.map((name) => [name, ''])) as VisitorProfile),
  browser: '',
  externalId: null,
  externalIdFolded: null,
  lastOperatorId: null,
};

/** Erases a visitor's profile, browser, external id and last operator. */
export function eraseVisitor(tx: Transaction, context: ActorContext, before: VisitorRow): Promise<VisitorRow> {
  return writeChanges(tx, context, before, { ...ERASED_FIELDS, erasedAt: tx.now });
}

async function writeChanges(
  tx: Transaction,
  context: ActorContext,
  before: VisitorRow,
  changes: Partial<VisitorRow>,
  operatorIds: readonly number[] = [],
) {
  await tx.db
    .updateTable('visitors')
    .set(changes)
    .where('accountId', '=', context.accountId)
    .where('id', '=', before.id)
    .execute();
  const fields = Object.keys(changes);
  const audiences = operatorIds.length === 0 ? [{}] : operatorIds.map((operatorId) => ({ operatorId }));
  for (const values of audiences) announce(tx, context, 'visitor.updated', before.id, { fields, values });
  return { ...before, ...changes };
}

/** Records that the visitor was here. Only with a session, because a write for each request would cost too much. */
export async function recordVisit(tx: Transaction, { accountId }: AccountContext, id: number): Promise<void> {
  await tx.db
    .updateTable('visitors')
    .set({ lastSeenAt: tx.now })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute();
}

/** Marks idle visitors that are not deleted, so that they are not found again. */
export function keepVisitors(tx: Transaction, context: AccountContext, ids: readonly number[]): Promise<void> {
  return setKept(tx, context, ids, 1);
}

/** Lets kept visitors be found again, because something that referred to them was deleted. */
export function reviewVisitors(tx: Transaction, context: AccountContext, ids: readonly number[]): Promise<void> {
  return setKept(tx, context, ids, 0);
}

async function setKept(
  { db }: Transaction,
  { accountId }: AccountContext,
  ids: readonly number[],
  isKept: 0 | 1,
): Promise<void> {
  if (ids.length === 0) return;
  await db.updateTable('visitors').set({ isKept }).where('accountId', '=', accountId).where('id', 'in', ids).execute();
}

/** The caller has checked that nothing refers to them. */
export async function deleteVisitors(
  { db }: Transaction,
  { accountId }: AccountContext,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  const rows = await db
    .deleteFrom('visitors')
    .where('accountId', '=', accountId)
    .where('id', 'in', ids)
    .returning(['id', 'websiteList'])
    .execute();
  for (const { id, websiteList } of rows)
    await db
      .deleteFrom('visitorWebsites')
      .where('accountId', '=', accountId)
      .where('websiteId', 'in', JSON.parse(websiteList) as number[])
      .where('visitorId', '=', id)
      .execute();
}

/** Adds to the websites that the visitor has visited. */
export async function addWebsites(
  tx: Transaction,
  { accountId }: ActorContext,
  { id, websiteList }: VisitorRow,
  websiteIds: readonly number[],
): Promise<void> {
  const visitedIds = JSON.parse(websiteList) as number[];
  const newIds = websiteIds.filter((websiteId) => !visitedIds.includes(websiteId));
  if (newIds.length === 0) return;
  const rows = newIds.map((websiteId) => ({ accountId, websiteId, visitorId: id }));
  await tx.db.insertInto('visitorWebsites').values(rows).execute();
  await tx.db
    .updateTable('visitors')
    .set({ websiteList: JSON.stringify([...visitedIds, ...newIds].sort((a, b) => a - b)) })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute();
}

const updateLastOperator = prepare<{ accountId: number; id: number; operatorId: number }>(
  (db, { accountId, id, operatorId }) =>
    db
      .updateTable('visitors')
      .set({ lastOperatorId: operatorId })
      .where('accountId', '=', accountId)
      .where('id', '=', id),
  { writes: NO_FACTS },
);

/** Routing prefers this operator for the visitor's next conversation. */
export function rememberLastOperator(
  tx: Transaction,
  { accountId }: ActorContext,
  { visitorId, operatorId }: Pick<Conversation, 'visitorId' | 'operatorId'>,
): void {
  if (visitorId !== null && operatorId !== null) tx.send(updateLastOperator, { accountId, id: visitorId, operatorId });
}
