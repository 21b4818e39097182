import { type Expression, type Kysely, type Selectable, sql } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { prepare, type Statement, statementPerShape } from '../../../storage/prepared-statement.ts';
import type { Tables } from '../../../storage/tables.ts';
import type { ActorContext } from '../../kernel/caller.ts';
import { unknownId } from '../../kernel/errors.ts';
import type { Conversation } from './conversation.ts';

export type ConversationRow = Selectable<Tables['conversations']>;

interface Named {
  readonly accountId: number;
  readonly id: number;
}

/** The visitor's own name for a start only serves to recognise a second sending. */
export function conversationFromRow(row: ConversationRow): Conversation {
  const { clientId: _clientId, hasWaited, changedHands, ...same } = row;
  return { ...same, hasWaited: hasWaited === 1, hasChangedHands: changedHands === 1 };
}

type Changed = Partial<Omit<Conversation, keyof Named>>;

function columnsOf({ hasWaited, hasChangedHands, ...same }: Changed): Partial<ConversationRow> {
  return {
    ...same,
    ...(hasWaited === undefined ? {} : { hasWaited: Number(hasWaited) }),
    ...(hasChangedHands === undefined ? {} : { changedHands: Number(hasChangedHands) }),
  };
}

const insert = prepare<ConversationRow>((db, row) => db.insertInto('conversations').values(row));

export function insertConversation(
  tx: Transaction,
  { accountId }: ActorContext,
  conversation: Conversation,
  clientId: string | null = null,
): void {
  const { hasWaited, hasChangedHands, ...same } = conversation;
  const flags = { hasWaited: Number(hasWaited), changedHands: Number(hasChangedHands) };
  tx.send(insert, { ...same, ...flags, accountId, clientId });
}

const changeOf = statementPerShape((columns: readonly (keyof ConversationRow)[]) =>
  prepare<Named & { from: string } & Partial<ConversationRow>, ConversationRow>((db, given) =>
    db
      .updateTable('conversations')
      .set(Object.fromEntries(columns.map((column) => [column, given[column]])))
      .where('accountId', '=', given.accountId)
      .where('id', '=', given.id)
      .where('state', '=', given.from as never)
      .returningAll(),
  ),
);

/** Changes a conversation if it is still in the state in which it was seen; undefined when another change was faster. */
export async function change(
  tx: Transaction,
  { accountId }: ActorContext,
  { id, state }: Pick<Conversation, 'id' | 'state'>,
  to: Changed,
): Promise<Conversation | undefined> {
  const columns = columnsOf(to);
  const statement = changeOf((Object.keys(columns) as (keyof ConversationRow)[]).sort());
  return (await fetchConversations(tx, statement, { ...columns, accountId, id, from: state }))[0];
}

const countMessage = prepare<Named>((db, { accountId, id }) =>
  db
    .updateTable('conversations')
    .set((eb) => ({ messageCount: eb('messageCount', '+', 1) }))
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('state', '<>', 'closed'),
);

/** Takes the number of the next message. A caller that read the conversation in this transaction knows which it is. */
export function takeSequence(tx: Transaction, { accountId }: ActorContext, id: number): void {
  tx.send(countMessage, { accountId, id });
}

const answer = prepare<Named & { at: number }>((db, { accountId, id, at }) =>
  db
    .updateTable('conversations')
    .set({ firstAnswerAt: at })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('firstAnswerAt', 'is', null),
);

/** An operator has written: the first time, this is the answer that the visitor waited for. */
export function noteFirstAnswer(tx: Transaction, { accountId }: ActorContext, conversation: Conversation): void {
  if (conversation.firstAnswerAt === null) tx.send(answer, { accountId, id: conversation.id, at: tx.now });
}

/**
 * Forgets the names that a visitor gave to their starts, and counts one more message wherever something was said, also after the
 * close. Answers with these: the new message is the caller's to store.
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
  return rows.map(conversationFromRow).filter(({ messageCount }) => messageCount > 0);
}

/** The identifiers of a visitor's conversations, for statements on what belongs to them. */
export function conversationIdsOf({ db }: Transaction, { accountId }: ActorContext, visitorId: number) {
  return db
    .selectFrom('conversations')
    .select('id')
    .where('accountId', '=', accountId)
    .where('visitorId', '=', visitorId);
}

/** Runs a statement of which the result are whole rows of `conversations`. */
export async function fetchConversations<Args extends object>(
  tx: Transaction,
  statement: Statement<Args, ConversationRow>,
  args: Args,
): Promise<Conversation[]> {
  return (await tx.run(statement, args)).map(conversationFromRow);
}

const rowsOf = (db: Kysely<Tables>, accountId: Expression<number>) =>
  db.selectFrom('conversations').selectAll().where('accountId', '=', accountId);

const find = prepare<Named, ConversationRow>((db, { accountId, id }) => rowsOf(db, accountId).where('id', '=', id));

export async function requireConversation(tx: Transaction, accountId: number, id: number): Promise<Conversation> {
  const [conversation] = await fetchConversations(tx, find, { accountId, id });
  if (!conversation) throw unknownId('conversation', id);
  return conversation;
}

interface Owner {
  readonly accountId: number;
  readonly visitorId: number;
}

const findStarted = prepare<Owner & { clientId: string }, ConversationRow>((db, { accountId, visitorId, clientId }) =>
  rowsOf(db, accountId).where('visitorId', '=', visitorId).where('clientId', '=', clientId),
);

/** What a visitor has started under this name of theirs. */
export async function findSameStart(
  tx: Transaction,
  { accountId, visitorId }: Owner,
  clientId: string,
): Promise<Conversation | undefined> {
  return (await fetchConversations(tx, findStarted, { accountId, visitorId, clientId }))[0];
}

const findHeld = prepare<{ accountId: number; operatorId: number }, ConversationRow>((db, { accountId, operatorId }) =>
  rowsOf(db, accountId).where('operatorId', '=', operatorId).where('state', 'in', ['offered', 'active']).orderBy('id'),
);

/** What an operator is asked for or has accepted. */
export function findHeldConversations(
  tx: Transaction,
  { accountId }: ActorContext,
  operatorId: number,
): Promise<Conversation[]> {
  return fetchConversations(tx, findHeld, { accountId, operatorId });
}

const findOpen = prepare<Owner, ConversationRow>((db, { accountId, visitorId }) =>
  rowsOf(db, accountId).where('visitorId', '=', visitorId).where('state', '<>', 'closed').orderBy('id'),
);

/** What a visitor has not ended yet. */
export function findOpenConversations(tx: Transaction, { accountId, visitorId }: Owner): Promise<Conversation[]> {
  return fetchConversations(tx, findOpen, { accountId, visitorId });
}

const countQueued = prepare<{ accountId: number; most: number }, { count: number }>((db, { accountId, most }) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('conversations')
        .select('id')
        .where('accountId', '=', accountId)
        .where('state', '=', sql.lit('queued'))
        .limit(most)
        .as('waiting'),
    )
    .select((eb) => eb.fn.countAll<number>().as('count')),
);

/** How many wait, counted up to a number. */
export async function countQueuedConversations(tx: Transaction, accountId: number, most: number): Promise<number> {
  return (await tx.run(countQueued, { accountId, most }))[0]?.count ?? 0;
}
