import { type Kysely, sql } from 'kysely';
import type { Database } from '../../../storage/database.ts';
import type { Tables } from '../../../storage/tables.ts';
import type { Note } from '../records/note-store.ts';

/** At most `limit` notes after the one with the id `after`: the first ones, or from the end the newest. */
export interface NoteWindow {
  readonly after: number;
  readonly limit: number;
  readonly isFromEnd: boolean;
}

export type NoteKey = Pick<Note, 'conversationId' | 'id'>;

/** Notes of many conversations. */
export class NoteQuery {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The notes of the window for each conversation, in order, with one statement. */
  async loadWindows(accountId: number, conversationIds: readonly number[], window: NoteWindow): Promise<Note[][]> {
    if (conversationIds.length === 0 || window.limit === 0) return conversationIds.map(() => []);
    const rows = await selectWindows(this.#database.read, accountId, conversationIds, window).execute();
    const byConversation = Map.groupBy(rows, (row) => row.conversationId);
    return conversationIds.map((id) => byConversation.get(id) ?? []);
  }

  /** Loads single notes; undefined for notes that do not exist. */
  async loadByKeys(accountId: number, keys: readonly NoteKey[]): Promise<(Note | undefined)[]> {
    if (keys.length === 0) return [];
    const rows = await this.#database.read
      .selectFrom('notes')
      .selectAll()
      .where('accountId', '=', accountId)
      .where((eb) =>
        eb.or(
          keys.map(({ conversationId, id }) => eb.and([eb('conversationId', '=', conversationId), eb('id', '=', id)])),
        ),
      )
      .execute();
    const byId = new Map(rows.map((row) => [row.id, row]));
    return keys.map(({ id }) => byId.get(id));
  }
}

/** The notes outside a window are at most walked in the index, to find its bound. */
function selectWindows(
  db: Kysely<Tables>,
  accountId: number,
  conversationIds: readonly number[],
  { after, limit, isFromEnd }: NoteWindow,
) {
  return (
    db
      .selectFrom('conversations')
      // SQLite keeps the order of a cross join: first the conversations, then the notes of each.
      .crossJoin('notes')
      .selectAll('notes')
      .where('conversations.accountId', '=', accountId)
      .where('conversations.id', 'in', conversationIds)
      .where('notes.accountId', '=', accountId)
      .whereRef('notes.conversationId', '=', 'conversations.id')
      .where('notes.id', '>', after)
      .where((eb) => {
        const bound = eb
          .selectFrom('notes as other')
          .select('other.id')
          .where('other.accountId', '=', accountId)
          .whereRef('other.conversationId', '=', 'conversations.id')
          .where('other.id', '>', after)
          .orderBy('other.id', isFromEnd ? 'desc' : 'asc')
          .limit(1)
          .offset(limit - 1);
        return isFromEnd
          ? eb('notes.id', '>=', eb.fn.coalesce(bound, eb.lit(0)))
          : eb('notes.id', '<=', eb.fn.coalesce(bound, sql.lit(Number.MAX_SAFE_INTEGER)));
      })
      .orderBy('notes.conversationId')
      .orderBy('notes.id')
  );
}
