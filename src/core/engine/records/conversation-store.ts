import { type Expression, type Kysely, type Selectable, sql } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { type Fact, prepare, preparePerShape, type Statement } from '../../../storage/prepared-statement.ts';
import type { Tables } from '../../../storage/tables.ts';
import type { ActorContext } from '../../kernel/caller.ts';
import { unknownId } from '../../kernel/errors.ts';
import type { Conversation } from './conversation.ts';
import { ABSENT_OFFSET, FIRST_ABSENT_ORDER } from './queue-order.ts';

export type ConversationRow = Selectable<Tables['conversations']>;

interface ConversationKey {
  readonly accountId: number;
  readonly id: number;
}

/** Omits the client id: it only identifies a repeated start. */
export function toConversation(row: ConversationRow): Conversation {
  const { clientId: _clientId, hasWaited, changedHands, ...rest } = row;
  return { ...rest, hasWaited: hasWaited === 1, hasChangedHands: changedHands === 1 };
}

export type ConversationChanges = Partial<Omit<Conversation, keyof ConversationKey>>;

function toColumns({ hasWaited, hasChangedHands, ...rest }: ConversationChanges): Partial<ConversationRow> {
  return {
    ...rest,
    ...(hasWaited === undefined ? {} : { hasWaited: Number(hasWaited) }),
    ...(hasChangedHands === undefined ? {} : { changedHands: Number(hasChangedHands) }),
  };
}

/** What reads of conversations depend on: one of them, those of a visitor, and whether any waits. */
const conversationFact = (id: number): Fact => `conversation ${id}`;
const ofVisitorFact = (visitorId: number | null): Fact => `conversations of visitor ${visitorId}`;
const QUEUE_FACT: Fact = 'queue';

/** What a write of a conversation changes; `from` is its state before. */
function factsOfChange(
  { id, visitorId, state }: Partial<Pick<ConversationRow, 'id' | 'visitorId' | 'state'>>,
  from?: string,
): Fact[] {
  const facts = [conversationFact(id ?? 0), ofVisitorFact(visitorId ?? null)];
  return state === 'queued' || from === 'queued' ? [...facts, QUEUE_FACT] : facts;
}

const insert = prepare<ConversationRow>((db, row) => db.insertInto('conversations').values(row), {
  writes: (row) => factsOfChange(row),
});

export function insertConversation(
  tx: Transaction,
  { accountId }: ActorContext,
  conversation: Conversation,
  clientId: string | null = null,
): void {
  const { hasWaited, hasChangedHands, ...rest } = conversation;
  const flags = { hasWaited: Number(hasWaited), changedHands: Number(hasChangedHands) };
  tx.send(insert, { ...rest, ...flags, accountId, clientId });
}

const updateStatement = preparePerShape((columns: readonly (keyof ConversationRow)[]) =>
  prepare<ConversationKey & { from: string } & Partial<ConversationRow>, ConversationRow>(
    (db, args) =>
      db
        .updateTable('conversations')
        .set(Object.fromEntries(columns.map((column) => [column, args[column]])))
        .where('accountId', '=', args.accountId)
        .where('id', '=', args.id)
        .where('state', '=', args.from as never)
        .returningAll(),
    { writes: (args) => factsOfChange(args, args.from) },
  ),
);

/** Updates a conversation that was read in this transaction, without waiting, and returns it. */
export function changeConversation(
  tx: Transaction,
  { accountId }: ActorContext,
  conversation: Conversation,
  changes: ConversationChanges,
): Conversation {
  const { id, state, visitorId } = conversation;
  const columns = toColumns(changes);
  const statement = updateStatement((Object.keys(columns) as (keyof ConversationRow)[]).sort());
  tx.send(statement, { visitorId, ...columns, accountId, id, from: state }, ({ length }) => {
    if (length === 0) throw new Error(`Conversation ${id} was not ${state} inside a transaction.`);
  });
  return { ...conversation, ...changes };
}

/** Updates a conversation if it is still in the given state. Returns undefined if it is not. */
export async function updateConversation(
  tx: Transaction,
  { accountId }: ActorContext,
  { id, state, visitorId }: Pick<Conversation, 'id' | 'state' | 'visitorId'>,
  changes: ConversationChanges,
): Promise<Conversation | undefined> {
  const columns = toColumns(changes);
  const statement = updateStatement((Object.keys(columns) as (keyof ConversationRow)[]).sort());
  return (await fetchConversations(tx, statement, { visitorId, ...columns, accountId, id, from: state }))[0];
}

type CountedConversation = ConversationKey & Pick<Conversation, 'visitorId'>;

const incrementCount = prepare<CountedConversation>((db, { accountId, id }) => buildCountIncrement(db, accountId, id), {
  writes: (args) => factsOfChange(args),
});
const incrementCountWithAnswer = prepare<CountedConversation & { at: number }>(
  (db, { accountId, id, at }) => buildCountIncrement(db, accountId, id).set({ firstAnswerAt: at }),
  { writes: (args) => factsOfChange(args) },
);

function buildCountIncrement(db: Kysely<Tables>, accountId: Expression<number>, id: Expression<number>) {
  return db
    .updateTable('conversations')
    .set((eb) => ({ messageCount: eb('messageCount', '+', 1) }))
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('state', '<>', 'closed');
}

/**
 * Reserves the next sequence number: `messageCount + 1` of the conversation as read in this transaction. The first
 * message of an operator is its first answer.
 */
export function incrementMessageCount(
  tx: Transaction,
  { accountId }: ActorContext,
  { id, visitorId, firstAnswerAt }: Pick<Conversation, 'id' | 'visitorId' | 'firstAnswerAt'>,
  authorType: 'operator' | 'visitor' | 'notice',
): void {
  if (authorType === 'operator' && firstAnswerAt === null)
    tx.send(incrementCountWithAnswer, { accountId, id, visitorId, at: tx.now });
  else tx.send(incrementCount, { accountId, id, visitorId });
}

/**
 * Erases a visitor's client ids and reserves a sequence number in every conversation with messages, closed ones too.
 * Returns these conversations; the caller stores the new message.
 */
export async function eraseConversations(
  tx: Transaction,
  { accountId }: ActorContext,
  visitorId: number,
): Promise<Conversation[]> {
  const rows = await tx.db
    .updateTable('conversations')
    .set({ clientId: null, messageCount: sql`message_count + case when message_count > 0 then 1 else 0 end` })
    .where('accountId', '=', accountId)
    .where('visitorId', '=', visitorId)
    .returningAll()
    .execute();
  return rows.map(toConversation).filter(({ messageCount }) => messageCount > 0);
}

/** Selects a visitor's conversation ids, as a subquery for statements on related tables. */
export function selectConversationIds({ db }: Transaction, { accountId }: ActorContext, visitorId: number) {
  return db
    .selectFrom('conversations')
    .select('id')
    .where('accountId', '=', accountId)
    .where('visitorId', '=', visitorId);
}

/** Runs a statement that returns whole rows of `conversations`. */
export async function fetchConversations<Args extends object>(
  tx: Pick<Transaction, 'run'>,
  statement: Statement<Args, ConversationRow>,
  args: Args,
): Promise<Conversation[]> {
  return (await tx.run(statement, args)).map(toConversation);
}

const selectRows = (db: Kysely<Tables>, accountId: Expression<number>) =>
  db.selectFrom('conversations').selectAll().where('accountId', '=', accountId);

const findById = prepare<ConversationKey, ConversationRow>(
  (db, { accountId, id }) => selectRows(db, accountId).where('id', '=', id),
  { reads: ({ id }) => [conversationFact(id)] },
);

/** Inside a transaction, or outside for what changes nothing. */
export async function requireConversation(
  tx: Pick<Transaction, 'run'>,
  accountId: number,
  id: number,
): Promise<Conversation> {
  const [conversation] = await fetchConversations(tx, findById, { accountId, id });
  if (!conversation) throw unknownId('conversation', id);
  return conversation;
}

interface VisitorKey {
  readonly accountId: number;
  readonly visitorId: number;
}

const findByClientId = prepare<VisitorKey & { clientId: string }, ConversationRow>(
  (db, { accountId, visitorId, clientId }) =>
    selectRows(db, accountId).where('visitorId', '=', visitorId).where('clientId', '=', clientId),
  { reads: ({ visitorId }) => [ofVisitorFact(visitorId)] },
);

/** Finds the conversation that the visitor started with this client id. */
export async function findConversationByClientId(
  tx: Transaction,
  { accountId, visitorId }: VisitorKey,
  clientId: string,
): Promise<Conversation | undefined> {
  return (await fetchConversations(tx, findByClientId, { accountId, visitorId, clientId }))[0];
}

const findHeld = prepare<{ accountId: number; operatorId: number }, ConversationRow>((db, { accountId, operatorId }) =>
  selectRows(db, accountId)
    .where('operatorId', '=', operatorId)
    .where('state', 'in', ['offered', 'active'])
    .orderBy('id'),
);

/** Finds the operator's offered and active conversations. */
export function findHeldConversations(
  tx: Transaction,
  { accountId }: ActorContext,
  operatorId: number,
): Promise<Conversation[]> {
  return fetchConversations(tx, findHeld, { accountId, operatorId });
}

const findOpen = prepare<VisitorKey, ConversationRow>(
  (db, { accountId, visitorId }) =>
    selectRows(db, accountId).where('visitorId', '=', visitorId).where('state', '<>', 'closed').orderBy('id'),
  { reads: ({ visitorId }) => [ofVisitorFact(visitorId)] },
);

/** Finds the visitor's conversations that are not closed. */
export function findOpenConversations(tx: Transaction, { accountId, visitorId }: VisitorKey): Promise<Conversation[]> {
  return fetchConversations(tx, findOpen, { accountId, visitorId });
}

const countQueued = prepare<{ accountId: number; limit: number }, { count: number }>(
  (db, { accountId, limit }) =>
    db
      .selectFrom((eb) =>
        eb
          .selectFrom('conversations')
          .select('id')
          .where('accountId', '=', accountId)
          .where('state', '=', sql.lit('queued'))
          .where('queueOrder', '<', sql.lit(FIRST_ABSENT_ORDER))
          .limit(limit)
          .as('queued'),
      )
      .select((eb) => eb.fn.countAll<number>().as('count')),
  { reads: () => [QUEUE_FACT] },
);

/** Counts queued conversations up to `limit`, without those whose visitor is absent. */
export async function countQueuedConversations(tx: Transaction, accountId: number, limit: number): Promise<number> {
  return (await tx.run(countQueued, { accountId, limit }))[0]?.count ?? 0;
}

/** Passes over the waiting conversations of a website whose visitors are absent. */
export async function passOverAbsent(tx: Transaction, { accountId }: ActorContext, websiteId: number) {
  await tx.db
    .updateTable('conversations')
    .set((eb) => ({ queueOrder: eb('queueOrder', '+', ABSENT_OFFSET) }))
    .where('accountId', '=', accountId)
    .where('websiteId', '=', websiteId)
    .where('state', '=', sql.lit('queued'))
    .where('queueOrder', '<', FIRST_ABSENT_ORDER)
    .where('visitorId', 'in', (eb) =>
      eb
        .selectFrom('visitorPresence')
        .select('visitorId')
        .where('accountId', '=', accountId)
        .where('leftAt', 'is not', null),
    )
    .execute();
}

/** Gives the conversations of a website that are passed over their places in the queue again. */
export async function restoreQueueOrders(tx: Transaction, { accountId }: ActorContext, websiteId: number) {
  await tx.db
    .updateTable('conversations')
    .set((eb) => ({ queueOrder: eb('queueOrder', '-', ABSENT_OFFSET) }))
    .where('accountId', '=', accountId)
    .where('websiteId', '=', websiteId)
    .where('state', '=', sql.lit('queued'))
    .where('queueOrder', '>=', FIRST_ABSENT_ORDER)
    .execute();
}

/**
 * Gives a visitor's conversations to another visitor. A client id that the other one has used too is dropped: it only
 * detects a repeated start.
 */
export async function moveConversations(
  { db }: Transaction,
  { accountId }: ActorContext,
  fromVisitorId: number,
  toVisitorId: number,
): Promise<Pick<Conversation, 'id' | 'operatorId'>[]> {
  await db
    .updateTable('conversations')
    .set({ clientId: null })
    .where('accountId', '=', accountId)
    .where('visitorId', '=', fromVisitorId)
    .where('clientId', 'in', (eb) =>
      eb
        .selectFrom('conversations as other')
        .select('other.clientId')
        .where('other.accountId', '=', accountId)
        .where('other.visitorId', '=', toVisitorId)
        .where('other.clientId', 'is not', null),
    )
    .execute();
  await db
    .updateTable('conversations')
    .set({ closedById: toVisitorId })
    .where('accountId', '=', accountId)
    .where('visitorId', '=', fromVisitorId)
    .where('closedBy', '=', 'visitor')
    .execute();
  return db
    .updateTable('conversations')
    .set({ visitorId: toVisitorId })
    .where('accountId', '=', accountId)
    .where('visitorId', '=', fromVisitorId)
    .returning(['id', 'operatorId'])
    .execute();
}
