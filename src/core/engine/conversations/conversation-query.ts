import { type SqlBool, sql } from 'kysely';
import type { Database } from '../../../storage/database.ts';
import type { Tables } from '../../../storage/tables.ts';
import { Listing } from '../../kernel/listing.ts';
import type { Page, Window } from '../../kernel/page.ts';
import type { Slice, SlicePage } from '../../kernel/slice.ts';
import type { Conversation } from '../records/conversation.ts';
import { toConversation } from '../records/conversation-store.ts';
import { renderText } from '../records/notices.ts';
import { type ConversationFilters, hasClosedPeriod, isNarrow, selectConversations } from './conversation-filter.ts';

/** A message of a conversation's history. */
export type HistoryEntry = Pick<Tables['messages'], 'conversationId' | 'sequence' | 'authorType' | 'text' | 'at'>;

/** More messages than this are read off-thread. */
const MAX_INLINE_MESSAGES = 2000;

/** Lists conversations, newest first. */
export class ConversationQuery {
  readonly #database: Database;
  readonly #list: Listing<'conversations', Conversation>;

  constructor(database: Database) {
    this.#database = database;
    this.#list = new Listing(database, 'conversations', toConversation);
  }

  page(accountId: number, filters: ConversationFilters, window: Window): Promise<Page<Conversation>> {
    return this.#list.page(accountId, this.#select(accountId, filters), window, this.#pageOrder(accountId, filters));
  }

  slice(accountId: number, filters: ConversationFilters, slice: Slice): Promise<SlicePage<Conversation>> {
    return this.#list.slice(accountId, this.#selectInOrder(accountId, filters), slice, sortKeyFor(filters));
  }

  count(accountId: number, filters: ConversationFilters): Promise<number> {
    return this.#list.count(this.#select(accountId, filters));
  }

  load(accountId: number, ids: readonly number[]): Promise<Conversation[]> {
    return this.#list.load(accountId, ids);
  }

  find(accountId: number, id: number): Promise<Conversation | undefined> {
    return this.#list.find(accountId, id);
  }

  /**
   * Returns positions, from 1, among queued conversations of the same channel, website, skill and group; null for a
   * conversation that is not queued.
   */
  async loadQueuePositions(accountId: number, ids: readonly number[]): Promise<(number | null)[]> {
    if (ids.length === 0) return [];
    const query = sql<{ id: number; position: number }>`select id, position from (
        select id, row_number() over (partition by channel, website_id, skill_id, group_id order by queue_order, id) as position
        from conversations where account_id = ${accountId} and state = 'queued'
        and ${this.#database.isWithinDeadline(sql.ref('id'))}) line where id in (${sql.join(ids)})`;
    const rows = await this.#database.readOffThread<{ id: number; position: number }>({
      compile: () => query.compile(this.#database.read),
    });
    const positions = new Map(rows.map((row) => [row.id, row.position]));
    return ids.map((id) => positions.get(id) ?? null);
  }

  /** Loads the messages of each conversation, in order. Notices are in the language of its website. */
  async loadHistories(
    accountId: number,
    conversations: readonly Pick<Conversation, 'id' | 'messageCount' | 'websiteId'>[],
  ): Promise<ReadonlyMap<number, readonly HistoryEntry[]>> {
    const ids = conversations.filter(({ messageCount }) => messageCount > 0).map(({ id }) => id);
    if (ids.length === 0) return new Map();
    const isLarge = conversations.reduce((sum, { messageCount }) => sum + messageCount, 0) > MAX_INLINE_MESSAGES;
    const query = this.#selectMessages(accountId, ids);
    const [rows, languages] = await Promise.all([
      isLarge ? this.#database.readOffThread(query) : query.execute(),
      this.#loadLanguages(accountId, conversations),
    ]);
    const entries = rows.map(({ noticeCode, noticeParameters, ...entry }) => {
      if (noticeCode === null) return entry;
      const language = languages.get(entry.conversationId) ?? '';
      return { ...entry, text: renderText({ text: entry.text, noticeCode, noticeParameters }, language) };
    });
    return Map.groupBy(entries, (entry) => entry.conversationId);
  }

  /** Loads the languages of the conversations' websites, by conversation. */
  async #loadLanguages(
    accountId: number,
    conversations: readonly Pick<Conversation, 'id' | 'websiteId'>[],
  ): Promise<ReadonlyMap<number, string | undefined>> {
    const websites = await this.#database.read
      .selectFrom('websites')
      .select(['id', 'languageAdmin'])
      .where('accountId', '=', accountId)
      .where('id', 'in', [...new Set(conversations.map(({ websiteId }) => websiteId))])
      .execute();
    const languages = new Map(websites.map(({ id, languageAdmin }) => [id, languageAdmin]));
    return new Map(conversations.map(({ id, websiteId }) => [id, languages.get(websiteId)]));
  }

  /** Loads the public unique ids of the conversations' visitors, by visitor id. */
  async loadVisitorUids(
    accountId: number,
    conversations: readonly Conversation[],
  ): Promise<ReadonlyMap<number, string>> {
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
    return this.#list.pageQuery(
      accountId,
      this.#select(accountId, filters),
      window,
      this.#pageOrder(accountId, filters),
    );
  }

  countQuery(accountId: number, filters: ConversationFilters) {
    return this.#list.countQuery(this.#select(accountId, filters));
  }

  #selectMessages(accountId: number, ids: readonly number[]) {
    return this.#database.read
      .selectFrom('messages')
      .select(['conversationId', 'sequence', 'authorType', 'text', 'at', 'noticeCode', 'noticeParameters'])
      .where('accountId', '=', accountId)
      .where('conversationId', 'in', ids)
      .where((eb) => this.#database.isWithinDeadline(eb.ref('sequence')))
      .orderBy('conversationId')
      .orderBy('sequence');
  }

  #pageOrder(accountId: number, filters: ConversationFilters) {
    return { pageQuery: this.#selectInOrder(accountId, filters), sortKey: sortKeyFor(filters) };
  }

  /** Walks the ids backwards to find the newest conversations; SQLite would sort the whole period first. */
  #selectInOrder(accountId: number, { period, ...others }: ConversationFilters) {
    const isRecent = period?.to === undefined && Object.values(others).every((filter) => filter === undefined);
    if (!isRecent) return this.#select(accountId, { period, ...others });
    const query = this.#select(accountId, others);
    return period?.from === undefined ? query : query.where(sql<SqlBool>`+conversations.created_at >= ${period.from}`);
  }

  #select(accountId: number, filters: ConversationFilters) {
    return selectConversations(this.#database.read, accountId, filters).where((eb) =>
      this.#database.isWithinDeadline(eb.ref('conversations.id')),
    );
  }
}

/** The unary plus keeps SQLite from walking the whole account by id where another index finds a few rows to sort. */
function sortKeyFor(filters: ConversationFilters) {
  const isIndexed = isNarrow(filters) || hasClosedPeriod(filters);
  return isIndexed && !filters.id ? sql<number>`+conversations.id` : sql.ref<number>('conversations.id');
}
