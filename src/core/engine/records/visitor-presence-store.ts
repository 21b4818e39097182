import { type Kysely, type Selectable, sql } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import type { Tables } from '../../../storage/tables.ts';
import type { AccountContext } from '../../kernel/caller.ts';
import type { Conversation } from './conversation.ts';

export type PresenceRow = Selectable<Tables['visitorPresence']>;

export interface VisitorKey {
  readonly accountId: number;
  readonly visitorId: number;
}

export interface PresenceRenewal extends VisitorKey {
  /** How long the visitor counts as present from now. */
  readonly milliseconds: number;
  /** Whether a socket proves it. Requests only renew: the service does not watch visitors who never had a socket. */
  readonly bySocket: boolean;
}

interface PresenceMove {
  readonly fromVisitorId: number;
  readonly toVisitorId: number;
  /** For how long they are present, because they have just asked. */
  readonly milliseconds: number;
}

/** A renewal never shortens an earlier one. */
const laterEnd = sql<number>`case when visitor_presence.present_until > excluded.present_until
  then visitor_presence.present_until else excluded.present_until end`;

const insertOrExtend = prepare<Omit<PresenceRow, 'leftAt'>, PresenceRow>((db, row) =>
  db
    .insertInto('visitorPresence')
    .values({ ...row, leftAt: null })
    .onConflict((conflict) => conflict.columns(['accountId', 'visitorId']).doUpdateSet({ presentUntil: laterEnd }))
    .returningAll(),
);
const extend = prepare<Omit<PresenceRow, 'leftAt'>, PresenceRow>((db, { accountId, visitorId, presentUntil }) =>
  db
    .updateTable('visitorPresence')
    .set({ presentUntil })
    .where('accountId', '=', accountId)
    .where('visitorId', '=', visitorId)
    .where('presentUntil', '<', presentUntil)
    .returningAll(),
);

/** Renews the presence of visitors of any account. Returns those who were absent, so that they are let back in. */
export async function renewPresences(tx: Transaction, renewals: readonly PresenceRenewal[]): Promise<VisitorKey[]> {
  const rows = await Promise.all(
    renewals.map(({ accountId, visitorId, milliseconds, bySocket }) =>
      tx.run(bySocket ? insertOrExtend : extend, { accountId, visitorId, presentUntil: tx.now + milliseconds }),
    ),
  );
  return rows.flat().filter(({ leftAt }) => leftAt !== null);
}

const findByKey = prepare<VisitorKey, PresenceRow>((db, { accountId, visitorId }) =>
  db.selectFrom('visitorPresence').selectAll().where('accountId', '=', accountId).where('visitorId', '=', visitorId),
);

export async function findPresence(tx: Transaction, { accountId, visitorId }: VisitorKey) {
  return (await tx.run(findByKey, { accountId, visitorId }))[0];
}

const setLeft = prepare<VisitorKey & { at: number }, { leftAt: number | null }>((db, { accountId, visitorId, at }) =>
  db
    .updateTable('visitorPresence')
    .set({ leftAt: at })
    .where('accountId', '=', accountId)
    .where('visitorId', '=', visitorId)
    .where('leftAt', 'is', null)
    .where('presentUntil', '<=', (eb) => eb.fn<number>('now_ms', []))
    .returning('leftAt'),
);
const setBack = prepare<VisitorKey, { visitorId: number }>((db, { accountId, visitorId }) =>
  db
    .updateTable('visitorPresence')
    .set({ leftAt: null })
    .where('accountId', '=', accountId)
    .where('visitorId', '=', visitorId)
    .where('leftAt', 'is not', null)
    .where('presentUntil', '>', (eb) => eb.fn<number>('now_ms', []))
    .returning('visitorId'),
);
const deleteAbsent = prepare<VisitorKey>((db, { accountId, visitorId }) =>
  db
    .deleteFrom('visitorPresence')
    .where('accountId', '=', accountId)
    .where('visitorId', '=', visitorId)
    .where('presentUntil', '<=', (eb) => eb.fn<number>('now_ms', [])),
);

/**
 * Stores that the visitor has left, unless a renewal came in between. The absence counts from now: while the service
 * was down, no visitor could renew.
 */
export async function markLeft(tx: Transaction, { accountId, visitorId }: VisitorKey): Promise<boolean> {
  return (await tx.run(setLeft, { accountId, visitorId, at: tx.now })).length > 0;
}

export async function markBack(tx: Transaction, { accountId, visitorId }: VisitorKey): Promise<boolean> {
  return (await tx.run(setBack, { accountId, visitorId })).length > 0;
}

/**
 * Lets the presence of a visitor, who is here now, count for another one, who is the same person. If one of them was
 * absent, the stored absence stays until the service notices the return, which gives waiting conversations their places
 * in the queue again.
 */
export async function movePresence(
  tx: Transaction,
  { accountId }: AccountContext,
  { fromVisitorId, toVisitorId, milliseconds }: PresenceMove,
): Promise<void> {
  const from = await findPresence(tx, { accountId, visitorId: fromVisitorId });
  const to = await findPresence(tx, { accountId, visitorId: toVisitorId });
  if (!from && !to) return;
  const presentUntil = Math.max(from?.presentUntil ?? 0, to?.presentUntil ?? 0, tx.now + milliseconds);
  const leftAt = from?.leftAt ?? to?.leftAt ?? null;
  await tx.db
    .insertInto('visitorPresence')
    .values({ accountId, visitorId: toVisitorId, presentUntil, leftAt })
    .onConflict((conflict) =>
      conflict.columns(['accountId', 'visitorId']).doUpdateSet({ presentUntil: laterEnd, leftAt }),
    )
    .execute();
  await forgetPresence(tx, { accountId, visitorId: fromVisitorId });
}

/** Deletes the row of a visitor who is absent. */
export async function deletePresence(tx: Transaction, { accountId, visitorId }: VisitorKey): Promise<void> {
  await tx.run(deleteAbsent, { accountId, visitorId });
}

/** Deletes the row of a visitor whose data is erased, even if they are present. */
export async function forgetPresence(tx: Transaction, { accountId, visitorId }: VisitorKey): Promise<void> {
  await tx.db
    .deleteFrom('visitorPresence')
    .where('accountId', '=', accountId)
    .where('visitorId', '=', visitorId)
    .execute();
}

const findWaitingAbsence = prepare<VisitorKey & { websiteId: number }, { visitorId: number }>((db, args) =>
  db
    .selectFrom('visitorPresence')
    .innerJoin('websites', 'websites.accountId', 'visitorPresence.accountId')
    .select('visitorPresence.visitorId')
    .where('visitorPresence.accountId', '=', args.accountId)
    .where('visitorPresence.visitorId', '=', args.visitorId)
    .where('visitorPresence.leftAt', 'is not', null)
    .where('websites.id', '=', args.websiteId)
    .where('websites.waitingAbsenceMinutes', '>', 0),
);

/**
 * Whether routing passes over the conversation because its visitor is absent. If the website ends no waiting
 * conversations, it passes over none: they would stay in the queue for ever.
 */
export async function isPassedOver(
  tx: Transaction,
  { accountId, visitorId, websiteId }: Pick<Conversation, 'accountId' | 'visitorId' | 'websiteId'>,
): Promise<boolean> {
  if (visitorId === null) return false;
  return (await tx.run(findWaitingAbsence, { accountId, visitorId, websiteId })).length > 0;
}

/**
 * Selects visitors whose stored state is not right any more: they left, came back, or are gone without an open
 * conversation. Reads the whole table, which has only visitors who are present or have an open conversation.
 */
export function selectUnsettledVisitors(db: Kysely<Tables>) {
  return db
    .selectFrom('visitorPresence')
    .select(['accountId', 'visitorId'])
    .where(
      sql<boolean>`((left_at is null and present_until <= now_ms()) or (left_at is not null and (present_until > now_ms()
        or not exists (select 1 from conversations c where c.account_id = visitor_presence.account_id
          and c.visitor_id = visitor_presence.visitor_id and c.state <> 'closed'))))`,
    )
    .orderBy('presentUntil')
    .orderBy('visitorId');
}

const MINUTE_MS = sql.lit(60_000);

/** Selects open conversations whose visitor has been absent for as long as the website allows. */
export function selectAbandonedConversations(db: Kysely<Tables>) {
  return db
    .selectFrom('visitorPresence as presence')
    .innerJoin('conversations as c', (join) =>
      join.onRef('c.accountId', '=', 'presence.accountId').onRef('c.visitorId', '=', 'presence.visitorId'),
    )
    .innerJoin('websites', (join) =>
      join.onRef('websites.accountId', '=', 'c.accountId').onRef('websites.id', '=', 'c.websiteId'),
    )
    .select(['c.accountId', 'c.id'])
    .where('c.state', '<>', 'closed')
    .where('presence.leftAt', 'is not', null)
    .where('presence.presentUntil', '<=', sql<number>`now_ms()`)
    .where(
      // A visitor may have started a conversation and left again before the service let them back in.
      sql<boolean>`case when c.state = 'active'
        then active_absence_minutes > 0 and presence.left_at <= now_ms() - active_absence_minutes * ${MINUTE_MS}
          and c.created_at <= now_ms() - active_absence_minutes * ${MINUTE_MS}
        else waiting_absence_minutes > 0 and presence.left_at <= now_ms() - waiting_absence_minutes * ${MINUTE_MS}
          and c.created_at <= now_ms() - waiting_absence_minutes * ${MINUTE_MS} end`,
    )
    .orderBy('presence.leftAt')
    .orderBy('c.id');
}

/** Whether the conversation of an absent visitor still has to end. */
export async function isAbandoned(tx: Transaction, { accountId, id }: { accountId: number; id: number }) {
  const query = selectAbandonedConversations(tx.db).where('c.accountId', '=', accountId).where('c.id', '=', id);
  return (await query.executeTakeFirst()) !== undefined;
}
