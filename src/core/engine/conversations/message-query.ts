import type { Database } from '../../../storage/database.ts';
import type { Message } from '../records/message-store.ts';

/** Which messages of a conversation: some after a sequence number, or the newest. */
export type MessageWindow = { readonly after: number; readonly first: number } | { readonly last: number };

export interface MessageName {
  readonly conversationId: number;
  readonly sequence: number;
}

/** What was said in many conversations at once. Sequence numbers have no holes, so a window is a range of them. */
export class MessageQuery {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The messages of the window in each of these, in order: one statement for all. */
  async of(accountId: number, conversationIds: readonly number[], window: MessageWindow): Promise<Message[][]> {
    if (conversationIds.length === 0) return [];
    const rows = await ('last' in window
      ? this.#newest(accountId, conversationIds, window.last)
      : this.#rows(accountId)
          .where('messages.conversationId', 'in', conversationIds)
          .where('messages.sequence', '>', window.after)
          .where('messages.sequence', '<=', window.after + window.first)
    )
      .orderBy('messages.conversationId')
      .orderBy('messages.sequence')
      .execute();
    const found = Map.groupBy(rows, (row) => row.conversationId);
    return conversationIds.map((id) => found.get(id) ?? []);
  }

  /** Single messages by conversation and number; undefined for those that do not exist. */
  async find(accountId: number, names: readonly MessageName[]): Promise<(Message | undefined)[]> {
    if (names.length === 0) return [];
    const rows = await this.#rows(accountId)
      .where((eb) =>
        eb.or(
          names.map(({ conversationId, sequence }) =>
            eb.and([eb('messages.conversationId', '=', conversationId), eb('messages.sequence', '=', sequence)]),
          ),
        ),
      )
      .execute();
    const nameOf = ({ conversationId, sequence }: MessageName) => `${conversationId} ${sequence}`;
    const found = new Map(rows.map((row) => [nameOf(row), row]));
    return names.map((name) => found.get(nameOf(name)));
  }

  #rows(accountId: number) {
    return this.#database.read.selectFrom('messages').selectAll('messages').where('messages.accountId', '=', accountId);
  }

  #newest(accountId: number, conversationIds: readonly number[], last: number) {
    return (
      this.#database.read
        .selectFrom('conversations')
        // A cross join is read in this order: the conversations first, then the end of each.
        .crossJoin('messages')
        .selectAll('messages')
        .where('conversations.accountId', '=', accountId)
        .where('conversations.id', 'in', conversationIds)
        .where('messages.accountId', '=', accountId)
        .whereRef('messages.conversationId', '=', 'conversations.id')
        .where((eb) => eb('messages.sequence', '>', eb('conversations.messageCount', '-', last)))
    );
  }
}
