import type { Database } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import type { Message } from '../records/message-store.ts';

/** The first messages after a sequence number, or the newest ones. */
export type MessageWindow = { readonly after: number; readonly first: number } | { readonly last: number };

export interface MessageKey {
  readonly conversationId: number;
  readonly sequence: number;
}

const findByKey = prepare<MessageKey & { accountId: number }, Message>((db, { accountId, conversationId, sequence }) =>
  db
    .selectFrom('messages')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('conversationId', '=', conversationId)
    .where('sequence', '=', sequence),
);

/** Messages of many conversations. Sequence numbers have no gaps, so a window is a range of them. */
export class MessageQuery {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The messages of the window for each conversation, in order, with one statement. */
  async loadWindows(
    accountId: number,
    conversationIds: readonly number[],
    window: MessageWindow,
  ): Promise<Message[][]> {
    if (conversationIds.length === 0) return [];
    const rows = await ('last' in window
      ? this.#selectNewest(accountId, conversationIds, window.last)
      : this.#selectRows(accountId)
          .where('messages.conversationId', 'in', conversationIds)
          .where('messages.sequence', '>', window.after)
          .where('messages.sequence', '<=', window.after + window.first)
    )
      .orderBy('messages.conversationId')
      .orderBy('messages.sequence')
      .execute();
    const byConversation = Map.groupBy(rows, (row) => row.conversationId);
    return conversationIds.map((id) => byConversation.get(id) ?? []);
  }

  /** Loads single messages; undefined for messages that do not exist. */
  async loadByKeys(accountId: number, keys: readonly MessageKey[]): Promise<(Message | undefined)[]> {
    if (keys.length === 0) return [];
    // An event that arrives alone, the most common case, must not compile a statement.
    const [first] = keys;
    if (first && keys.length === 1) return [(await this.#database.run(findByKey, { accountId, ...first }))[0]];
    const rows = await this.#selectRows(accountId)
      .where((eb) =>
        eb.or(
          keys.map(({ conversationId, sequence }) =>
            eb.and([eb('messages.conversationId', '=', conversationId), eb('messages.sequence', '=', sequence)]),
          ),
        ),
      )
      .execute();
    const keyOf = ({ conversationId, sequence }: MessageKey) => `${conversationId} ${sequence}`;
    const byKey = new Map(rows.map((row) => [keyOf(row), row]));
    return keys.map((key) => byKey.get(keyOf(key)));
  }

  #selectRows(accountId: number) {
    return this.#database.read.selectFrom('messages').selectAll('messages').where('messages.accountId', '=', accountId);
  }

  #selectNewest(accountId: number, conversationIds: readonly number[], last: number) {
    return (
      this.#database.read
        .selectFrom('conversations')
        // SQLite keeps the order of a cross join: first the conversations, then the newest messages of each.
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
