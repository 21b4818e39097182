import { type SqlBool, sql } from 'kysely';
import type { Database } from '../../../storage/database.ts';
import type { Tables } from '../../../storage/tables.ts';
import { Listing } from '../../kernel/listing.ts';
import type { Page, Window } from '../../kernel/page.ts';
import type { Slice, SlicePage } from '../../kernel/slice.ts';
import type { Conversation } from '../records/conversation.ts';
import { conversationFromRow } from '../records/conversation-store.ts';
import { type ConversationFilters, filteredConversations, namesFew } from './conversation-filter.ts';

/** One line of what was said, by its place in the conversation. */
export type HistoryEntry = Pick<Tables['messages'], 'conversationId' | 'sequence' | 'authorType' | 'text' | 'at'>;

/** Beyond so many messages they are read apart from the requests of others. */
const MANY_MESSAGES = 2000;

/** Lists of conversations for whoever looks at them, newest first. */
export class ConversationQuery {
  readonly #database: Database;
  readonly #list: Listing<'conversations', Conversation>;

  constructor(database: Database) {
    this.#database = database;
    this.#list = new Listing(database, 'conversations', conversationFromRow);
  }

  page(accountId: number, filters: ConversationFilters, window: Window): Promise<Page<Conversation>> {
    return this.#list.page(accountId, this.#filtered(accountId, filters), window, this.#order(accountId, filters));
  }

  slice(accountId: number, filters: ConversationFilters, slice: Slice): Promise<SlicePage<Conversation>> {
    return this.#list.slice(accountId, this.#ordered(accountId, filters), slice, placeOf(filters));
  }

  count(accountId: number, filters: ConversationFilters): Promise<number> {
    return this.#list.count(this.#filtered(accountId, filters));
  }

  load(accountId: number, ids: readonly number[]): Promise<Conversation[]> {
    return this.#list.load(accountId, ids);
  }

  find(accountId: number, id: number): Promise<Conversation | undefined> {
    return this.#list.find(accountId, id);
  }

  /** The places of these in their lines: how many wait before each and ask for the same, and itself; null for what does not wait. */
  async queuePositions(accountId: number, ids: readonly number[]): Promise<(number | null)[]> {
    if (ids.length === 0) return [];
    const query = sql<{ id: number; place: number }>`select id, place from (
        select id, row_number() over (partition by channel, website_id, skill_id, group_id order by queue_order, id) as place
        from conversations where account_id = ${accountId} and state = 'queued'
        and ${this.#database.withinDeadline(sql.ref('id'))}) line where id in (${sql.join(ids)})`;
    const rows = await this.#database.readOffThread<{ id: number; place: number }>({
      compile: () => query.compile(this.#database.read),
    });
    const places = new Map(rows.map((row) => [row.id, row.place]));
    return ids.map((id) => places.get(id) ?? null);
  }

  /** What was said in each of these, in order. */
  async historiesOf(
    accountId: number,
    conversations: readonly Pick<Conversation, 'id' | 'messageCount'>[],
  ): Promise<ReadonlyMap<number, readonly HistoryEntry[]>> {
    const ids = conversations.filter(({ messageCount }) => messageCount > 0).map(({ id }) => id);
    if (ids.length === 0) return new Map();
    const many = conversations.reduce((sum, { messageCount }) => sum + messageCount, 0) > MANY_MESSAGES;
    const query = this.#messages(accountId, ids);
    const rows = many ? await this.#database.readOffThread(query) : await query.execute();
    return Map.groupBy(rows, (entry) => entry.conversationId);
  }

  /** The names in which visitors are known outside, by identifier. */
  async visitorUids(accountId: number, conversations: readonly Conversation[]): Promise<ReadonlyMap<number, string>> {
    const ids = [...new Set(conversations.map(({ visitorId }) => visitorId).filter((id) => id !== null))];
    if (ids.length === 0) return new Map();
    const rows = await this.#database.read
      .selectFrom('visitors')
      .select(['id', 'uniqueId'])
      .where('accountId', '=', accountId)
      .where('id', 'in', ids)
      .execute();
    return new Map(rows.map(({ id, uniqueId }) => [id, uniqueId]));
  }

  pageQuery(accountId: number, filters: ConversationFilters, window: Window) {
    return this.#list.pageQuery(accountId, this.#filtered(accountId, filters), window, this.#order(accountId, filters));
  }

  countQuery(accountId: number, filters: ConversationFilters) {
    return this.#list.countQuery(this.#filtered(accountId, filters));
  }

  #messages(accountId: number, ids: readonly number[]) {
    return this.#database.read
      .selectFrom('messages')
      .select(['conversationId', 'sequence', 'authorType', 'text', 'at'])
      .where('accountId', '=', accountId)
      .where('conversationId', 'in', ids)
      .where((eb) => this.#database.withinDeadline(eb.ref('sequence')))
      .orderBy('conversationId')
      .orderBy('sequence');
  }

  #order(accountId: number, filters: ConversationFilters) {
    return { ordered: this.#ordered(accountId, filters), place: placeOf(filters) };
  }

  /** The newest ones are found by walking back from the end; SQLite would sort all of the period first. */
  #ordered(accountId: number, { period, ...others }: ConversationFilters) {
    const isRecent = period?.to === undefined && Object.values(others).every((filter) => filter === undefined);
    if (!isRecent) return this.#filtered(accountId, { period, ...others });
    const query = this.#filtered(accountId, others);
    return period?.from === undefined ? query : query.where(sql<SqlBool>`+conversations.created_at >= ${period.from}`);
  }

  #filtered(accountId: number, filters: ConversationFilters) {
    return filteredConversations(this.#database.read, accountId, filters).where((eb) =>
      this.#database.withinDeadline(eb.ref('conversations.id')),
    );
  }
}

/** A few are found by what names them, and sorted; SQLite would walk through the whole account in its order instead. */
function placeOf(filters: ConversationFilters) {
  return namesFew(filters) && !filters.id ? sql<number>`+conversations.id` : sql.ref<number>('conversations.id');
}
