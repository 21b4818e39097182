import { sql } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../../storage/database.ts';
import { type Caller, requireOperatorId, type VisitorCaller } from '../../kernel/caller.ts';
import type { Signals } from '../../signals/signals.ts';
import { type Conversation, wrongState } from '../records/conversation.ts';
import { requireConversation } from '../records/conversation-store.ts';
import { advanceReadMarker, type ReadMarkers, type Side } from '../records/read-marker-store.ts';
import { requireOwnConversation, requireVisitorConversation } from './conversation-access.ts';

export const readUpTo = z.strictObject({
  upTo: z.int({ error: 'must be the number of a message' }).min(0, { error: 'must be at least 0' }),
});

export interface ReadInput {
  readonly id: number;
  /** The sequence number of the last message that was read. */
  readonly upTo: number;
}

/** Unread messages are counted among this many newest ones of a conversation. */
export const MAX_COUNTED_MESSAGES = 1000;

const UNREAD: ReadMarkers = { visitorUpTo: 0, operatorUpTo: 0 };

/** How far the two sides of conversations have read. Markers are no events, and are set without the account's lock. */
export class ReadMarkerService {
  readonly #database: Database;
  readonly #signals: Signals;

  constructor(database: Database, signals: Signals) {
    this.#database = database;
    this.#signals = signals;
  }

  async readAsOperator(caller: Caller, { id, upTo }: ReadInput): Promise<Conversation> {
    requireOperatorId(caller);
    const conversation = await requireConversation(this.#database, caller.accountId, id);
    requireOwnConversation(caller, conversation);
    if (conversation.state === 'offered') throw wrongState('Accept the offer before you read.');
    return this.#advance(conversation, 'operator', upTo);
  }

  async readAsVisitor(visitor: VisitorCaller, { id, upTo }: ReadInput): Promise<Conversation> {
    const conversation = await requireConversation(this.#database, visitor.accountId, id);
    requireVisitorConversation(visitor, conversation);
    return this.#advance(conversation, 'visitor', upTo);
  }

  /** Loads the markers in the order of the identifiers. */
  async load(accountId: number, conversationIds: readonly number[]): Promise<ReadMarkers[]> {
    if (conversationIds.length === 0) return [];
    const rows = await this.#database.read
      .selectFrom('readMarkers')
      .select(['conversationId', 'visitorUpTo', 'operatorUpTo'])
      .where('accountId', '=', accountId)
      .where('conversationId', 'in', conversationIds)
      .execute();
    const byConversation = new Map(rows.map((row) => [row.conversationId, row]));
    return conversationIds.map((id) => byConversation.get(id) ?? UNREAD);
  }

  /** Counts the messages of the other side that a side has not read, in the order of the identifiers. */
  async countUnread(accountId: number, side: Side, conversationIds: readonly number[]): Promise<number[]> {
    if (conversationIds.length === 0) return [];
    const author = side === 'visitor' ? 'operator' : 'visitor';
    const marker = sql.ref(side === 'visitor' ? 'r.visitor_up_to' : 'r.operator_up_to');
    // The marker is read once for each conversation, so that only its unread messages are visited.
    const { rows } = await sql<{ id: number; unread: number }>`select c.id, (select count(*) from messages m
        where m.account_id = c.account_id and m.conversation_id = c.id and m.author_type = ${author}
        and m.sequence > c.message_count - ${MAX_COUNTED_MESSAGES} and m.sequence > coalesce((select ${marker}
          from read_markers r where r.account_id = c.account_id and r.conversation_id = c.id), 0)) as unread
      from conversations c where c.account_id = ${accountId} and c.id in (${sql.join(conversationIds)})`.execute(
      this.#database.read,
    );
    const counts = new Map(rows.map(({ id, unread }) => [id, unread]));
    return conversationIds.map((id) => counts.get(id) ?? 0);
  }

  async #advance(conversation: Conversation, side: Side, upTo: number): Promise<Conversation> {
    const { id, messageCount } = conversation;
    const marker = { conversationId: id, side, upTo: Math.min(upTo, messageCount) };
    if (marker.upTo === 0) return conversation;
    const advanced = await this.#database.transaction((tx) => advanceReadMarker(tx, conversation, marker));
    // After the end there are no listeners.
    if (advanced && conversation.state !== 'closed')
      this.#signals.publish(conversation, { kind: 'read', author: side, upTo: marker.upTo });
    return conversation;
  }
}
