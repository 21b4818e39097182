import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { TagService } from '../../core/administration/tag-service.ts';
import type { ConversationQuery, HistoryEntry } from '../../core/engine/conversations/conversation-query.ts';
import type { Conversation } from '../../core/engine/records/conversation.ts';
import type { EventLog } from '../../core/events/event-log.ts';
import type { Caller } from '../../core/kernel/caller.ts';
import { CHANNELS, type Channel } from '../../core/kernel/channels.ts';
import type { IdFilter } from '../../core/kernel/filters.ts';
import type { Page, Window } from '../../core/kernel/page.ts';
import { type NamedPeriod, threeMonths } from '../../core/kernel/period.ts';
import type { RestUsage } from '../../core/reports/rest-usage.ts';
import { wireDate } from './dates.ts';
import { UNICODE } from './meter.ts';
import type { Filters, Selection } from './query.ts';
import { type Resource, registerReads, renderObject } from './resource.ts';

export const CONVERSATION_FILTERS = {
  id: { name: 'id', kind: 'id' },
  channel: { name: 'channel', kind: 'words', words: CHANNELS },
  from: { name: 'from', kind: 'moment' },
  to: { name: 'to', kind: 'moment' },
  website_id: { name: 'websiteId', kind: 'id' },
  operator_id: { name: 'operatorId', kind: 'id' },
  visitor_id: { name: 'visitorId', kind: 'id' },
  skill_id: { name: 'skillId', kind: 'id' },
  tag_id: { name: 'tagId', kind: 'id' },
} as const;

const date = (description: string) =>
  z.string().meta({ description: `${description}: YYYY-MM-DD HH:MM:SS, UTC.`, example: '2026-01-31 09:30:00' });

const entry = z
  .tuple([
    z.literal([1, 2, 3]).meta({ description: 'Who: 1 operator, 2 visitor, 3 notice.' }),
    z.string().meta({ description: 'When: YYYY-MM-DD HH:MM:SS, UTC.' }),
    z.string().meta({ description: 'What.' }),
    z.int().meta({ description: 'When, in milliseconds since 1970.' }),
  ])
  .meta({ id: 'HistoryEntry', description: 'Who said what and when: `[type, date, text, epoch_ms]`.' });

export const conversationSchema = z
  .object({
    id: z.int().meta({ description: 'Conversation identifier.' }),
    channel: z.enum(CHANNELS).meta({ description: 'How it was held.' }),
    visitorUid: z.string().nullable().meta({ description: '`unique_id` of the visitor.' }),
    history: z.array(entry).meta({ description: 'What was said, in its order.' }),
    operatorAnswer: z.boolean().meta({ description: 'Whether an operator answered.' }),
    operatorClosed: z.boolean().meta({ description: 'Whether an operator closed it.' }),
    waitinglist: z.boolean().meta({ description: 'Whether the visitor had to wait because nobody was free.' }),
    createdAt: date('When it began'),
    closedAt: date('When it was closed; null while it runs').nullable(),
    websiteId: z.int().meta({ description: 'The website that the visitor was on.' }),
    operatorId: z.int().nullable().meta({ description: 'Who has or had it; null while nobody does.' }),
    skillId: z.int().nullable().meta({ description: 'The skill that it asks for.' }),
    tagList: z.array(z.int()).meta({ description: 'Identifiers of its tags.' }),
  })
  .meta({ id: 'Conversation', description: 'A conversation of a visitor with operators.' });

const ENTRY_TYPES: Record<HistoryEntry['authorType'], 1 | 2 | 3> = { operator: 1, visitor: 2, notice: 3 };

interface Parts {
  readonly conversationQuery: ConversationQuery;
  readonly tags: TagService;
  readonly log: EventLog;
}

type GivenFilters = NamedPeriod & { readonly channel?: readonly Channel[] } & {
  readonly [name in 'id' | 'websiteId' | 'operatorId' | 'visitorId' | 'skillId' | 'tagId']?: IdFilter;
};

class ConversationResource implements Resource<Conversation> {
  readonly name = 'conversation';
  readonly alsoNamed = `conversation${UNICODE}`;
  readonly schema = conversationSchema;
  readonly filters = CONVERSATION_FILTERS;
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async page({ accountId }: Caller, filters: Filters, window: Window): Promise<Page<Conversation>> {
    const { from, to, channel, ...rest } = filters as GivenFilters;
    const { now } = await this.#parts.log.moment(accountId);
    const period = threeMonths(['filters'], { from, to }, now);
    return this.#parts.conversationQuery.page(accountId, { ...rest, channels: channel, period }, window);
  }

  find({ accountId }: Caller, id: number): Promise<Conversation | undefined> {
    return this.#parts.conversationQuery.find(accountId, id);
  }

  /** What is in other tables is read for all at once, and only where it is shown. */
  async render({ accountId }: Caller, rows: readonly Conversation[], selection: Selection): Promise<string[]> {
    const { conversationQuery, tags } = this.#parts;
    const wants = (field: string) => selection === 'all' || selection.has(field);
    const uids = wants('visitor_uid') ? await conversationQuery.visitorUids(accountId, rows) : undefined;
    const histories = wants('history') ? await conversationQuery.historiesOf(accountId, rows) : undefined;
    const ids = rows.map((row) => row.id);
    const tagLists = wants('tag_list') ? await tags.ofConversations(accountId, ids) : undefined;
    return rows.map((row) => {
      const object = {
        id: row.id,
        channel: row.channel,
        visitor_uid: (row.visitorId === null ? undefined : uids?.get(row.visitorId)) ?? null,
        history: (histories?.get(row.id) ?? []).map(shownEntry),
        operator_answer: row.firstAnswerAt !== null,
        operator_closed: row.closedBy === 'operator',
        waitinglist: row.hasWaited,
        created_at: wireDate(row.createdAt),
        closed_at: row.closedAt === null ? null : wireDate(row.closedAt),
        website_id: row.websiteId,
        operator_id: row.operatorId,
        skill_id: row.skillId,
        tag_list: tagLists?.get(row.id) ?? [],
      };
      return renderObject('conversation', object, selection);
    });
  }
}

function shownEntry({ authorType, at, text }: HistoryEntry) {
  return [ENTRY_TYPES[authorType], wireDate(at), text, at];
}

export function registerConversation(app: FastifyInstance, parts: Parts, usage: RestUsage): void {
  registerReads(app, new ConversationResource(parts), usage);
}
