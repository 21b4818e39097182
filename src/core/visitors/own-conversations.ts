import type { Database } from '../../storage/database.ts';
import type { Conversation } from '../engine/records/conversation.ts';
import { toConversation } from '../engine/records/conversation-store.ts';
import type { VisitorCaller } from '../kernel/caller.ts';
import { applySlice, type Slice, type SlicePage, toSlicePage } from '../kernel/slice.ts';

/** Reads a visitor's own conversations; conversations of other visitors are treated as unknown. */
export class OwnConversations {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find(visitor: VisitorCaller, id: number): Promise<Conversation | undefined> {
    const row = await this.#selectRows(visitor).selectAll().where('id', '=', id).executeTakeFirst();
    return row && toConversation(row);
  }

  async slice(visitor: VisitorCaller, slice: Slice): Promise<SlicePage<Conversation>> {
    const rows = await applySlice(this.#selectRows(visitor).selectAll(), 'id', slice).execute();
    return toSlicePage(rows.map(toConversation), slice);
  }

  async count(visitor: VisitorCaller): Promise<number> {
    const { count } = await this.#selectRows(visitor)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return count;
  }

  /** Finds the newest video escalated from a chat. */
  async findEscalatedVideo(visitor: VisitorCaller, id: number): Promise<Conversation | undefined> {
    const row = await this.#selectRows(visitor)
      .selectAll()
      .where('escalatedFromId', '=', id)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row && toConversation(row);
  }

  #selectRows({ accountId, visitorId }: VisitorCaller) {
    return this.#database.read
      .selectFrom('conversations')
      .where('accountId', '=', accountId)
      .where('visitorId', '=', visitorId);
  }
}
