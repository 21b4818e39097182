import type { Database } from '../../storage/database.ts';
import type { Conversation } from '../engine/records/conversation.ts';
import { conversationFromRow } from '../engine/records/conversation-store.ts';
import type { VisitorCaller } from '../kernel/caller.ts';
import { cut, type Slice, type SlicePage, sliced } from '../kernel/slice.ts';

/** What visitors read: their own conversations. One of somebody else is like one that does not exist. */
export class OwnConversations {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find(visitor: VisitorCaller, id: number): Promise<Conversation | undefined> {
    const row = await this.#rows(visitor).selectAll().where('id', '=', id).executeTakeFirst();
    return row && conversationFromRow(row);
  }

  async slice(visitor: VisitorCaller, slice: Slice): Promise<SlicePage<Conversation>> {
    const rows = await sliced(this.#rows(visitor).selectAll(), 'id', slice).execute();
    return cut(rows.map(conversationFromRow), slice);
  }

  async count(visitor: VisitorCaller): Promise<number> {
    const { count } = await this.#rows(visitor)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return count;
  }

  /** The newest video that a chat became. */
  async escalatedTo(visitor: VisitorCaller, id: number): Promise<Conversation | undefined> {
    const row = await this.#rows(visitor)
      .selectAll()
      .where('escalatedFromId', '=', id)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row && conversationFromRow(row);
  }

  #rows({ accountId, visitorId }: VisitorCaller) {
    return this.#database.read
      .selectFrom('conversations')
      .where('accountId', '=', accountId)
      .where('visitorId', '=', visitorId);
  }
}
