import { type SqlBool, sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import type { Tables } from '../../storage/tables.ts';
import type { Page, Window } from '../page.ts';
import { cut, type Slice, type SlicePage, within } from '../slice.ts';
import type { Conversation } from './conversation.ts';
import { type ConversationFilters, filteredConversations, namesFew } from './conversation-filter.ts';

/** One line of what was said, by its place in the conversation. */
export type HistoryEntry = Pick<Tables['messages'], 'conversationId' | 'sequence' | 'authorType' | 'text' | 'at'>;

/** Beyond so many messages they are read apart from the requests of others. */
const MANY_MESSAGES = 2000;

/**
 * Lists of conversations for whoever looks at them, newest first. There may be very many, and any filters together: which
 * ones they are is found by a slow read, and only those of the page are loaded.
 */
export class ConversationQuery {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async page(accountId: number, filters: ConversationFilters, window: Window): Promise<Page<Conversation>> {
    const found = await this.#database.slowly(this.pageQuery(accountId, filters, window));
    const rows = await this.load(
      accountId,
      found.map((row) => row.id),
    );
    return { rows, count: await this.count(accountId, filters) };
  }

  async slice(accountId: number, filters: ConversationFilters, slice: Slice): Promise<SlicePage<Conversation>> {
    const query = within(this.#ordered(accountId, filters), 'conversations.id', slice)
      .select('conversations.id as id')
      .orderBy(placeOf(filters), slice.backwards ? 'asc' : 'desc')
      .limit(slice.limit + 1);
    const page = cut(
      (await this.#database.slowly(query)).map((row) => row.id),
      slice,
    );
    return { ...page, rows: await this.load(accountId, page.rows) };
  }

  async count(accountId: number, filters: ConversationFilters): Promise<number> {
    return (await this.#database.slowly(this.countQuery(accountId, filters)))[0]?.count ?? 0;
  }

  /** Those with these identifiers, newest first; what does not exist is left out. */
  async load(accountId: number, ids: readonly number[]): Promise<Conversation[]> {
    if (ids.length === 0) return [];
    return this.#database.read
      .selectFrom('conversations')
      .selectAll()
      .where('accountId', '=', accountId)
      .where('id', 'in', ids)
      .orderBy('id', 'desc')
      .execute();
  }

  async find(accountId: number, id: number): Promise<Conversation | undefined> {
    return (await this.load(accountId, [id]))[0];
  }

  /** The places of these in their lines: how many wait before each and ask for the same, and itself; null for what does not wait. */
  async queuePositions(accountId: number, ids: readonly number[]): Promise<(number | null)[]> {
    if (ids.length === 0) return [];
    const query = sql<{ id: number; place: number }>`select id, place from (
        select id, row_number() over (partition by channel, website_id, skill_id, group_id order by queue_order, id) as place
        from conversations where account_id = ${accountId} and state = 'queued'
        and ${this.#database.withinDeadline(sql.ref('id'))}) line where id in (${sql.join(ids)})`;
    const rows = await this.#database.slowly<{ id: number; place: number }>({
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
    const rows = many ? await this.#database.slowly(query) : await query.execute();
    return Map.groupBy(
      rows.map(({ conversation, author, ...row }) => ({ conversationId: conversation, authorType: author, ...row })),
      (entry) => entry.conversationId,
    );
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

  pageQuery(accountId: number, filters: ConversationFilters, { limit, offset }: Window) {
    return this.#ordered(accountId, filters)
      .select('conversations.id as id')
      .orderBy(placeOf(filters), 'desc')
      .limit(limit)
      .offset(offset);
  }

  countQuery(accountId: number, filters: ConversationFilters) {
    return this.#filtered(accountId, filters).select((eb) => eb.fn.countAll<number>().as('count'));
  }

  /** Columns with names of one word: a slow read does not translate them. */
  #messages(accountId: number, ids: readonly number[]) {
    return this.#database.read
      .selectFrom('messages')
      .select(['conversationId as conversation', 'sequence', 'authorType as author', 'text', 'at'])
      .where('accountId', '=', accountId)
      .where('conversationId', 'in', ids)
      .where((eb) => this.#database.withinDeadline(eb.ref('sequence')))
      .orderBy('conversationId')
      .orderBy('sequence');
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
