import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { TagService } from '../../core/administration/tag-service.ts';
import type { AttachmentQuery, FileName } from '../../core/attachments/attachment-query.ts';
import type { ConversationQuery, HistoryEntry } from '../../core/engine/conversations/conversation-query.ts';
import type { Conversation } from '../../core/engine/records/conversation.ts';
import type { EventLog } from '../../core/events/event-log.ts';
import type { Caller } from '../../core/kernel/caller.ts';
import { CHANNELS, type Channel } from '../../core/kernel/channels.ts';
import type { IdFilter } from '../../core/kernel/filters.ts';
import type { Page, Window } from '../../core/kernel/page.ts';
import { limitToThreeMonths, type RequestedPeriod } from '../../core/kernel/period.ts';
import type { RestUsage } from '../../core/reports/rest-usage.ts';
import { renderFileLine } from './attachment.ts';
import { toWireDate } from './dates.ts';
import { JSON_UNICODE_SUFFIX } from './meter.ts';
import type { Filters, Selection } from './query.ts';
import { type Resource, registerReads, renderObject } from './resource.ts';

export const CONVERSATION_FILTERS = {
  id: { name: 'id', kind: 'id' },
  channel: { name: 'channel', kind: 'choices', choices: CHANNELS },
  from: { name: 'from', kind: 'dateTime' },
  to: { name: 'to', kind: 'dateTime' },
  website_id: { name: 'websiteId', kind: 'id' },
  operator_id: { name: 'operatorId', kind: 'id' },
  visitor_id: { name: 'visitorId', kind: 'id' },
  skill_id: { name: 'skillId', kind: 'id' },
  tag_id: { name: 'tagId', kind: 'id' },
} as const;

const describeDate = (description: string) =>
  z.string().meta({ description: `${description}: YYYY-MM-DD HH:MM:SS, UTC.`, example: '2026-01-31 09:30:00' });

const historyEntry = z
  .tuple([
    z.literal([1, 2, 3]).meta({ description: 'Author: 1 operator, 2 visitor, 3 notice.' }),
    z.string().meta({ description: 'Time: YYYY-MM-DD HH:MM:SS, UTC.' }),
    z.string().meta({ description: 'Text, and a line with the name and the address of each attachment.' }),
    z.int().meta({ description: 'Time in milliseconds since 1970.' }),
  ])
  .meta({
    id: 'HistoryEntry',
    description: 'A message or notice: `[type, date, text, epoch_ms]`.',
    // Tools that do not know `prefixItems` need `items`.
    items: { type: ['integer', 'string'] },
    minItems: 4,
    maxItems: 4,
  });

export const conversationSchema = z
  .object({
    id: z.int().meta({ description: 'Conversation identifier.' }),
    channel: z.enum(CHANNELS).meta({ description: 'Channel of the conversation.' }),
    visitorUid: z.string().nullable().meta({ description: '`unique_id` of the visitor.' }),
    history: z.array(historyEntry).meta({ description: 'Messages and notices, oldest first.' }),
    operatorAnswer: z.boolean().meta({ description: 'Whether an operator answered.' }),
    operatorClosed: z.boolean().meta({ description: 'Whether an operator closed it.' }),
    waitinglist: z.boolean().meta({ description: 'Whether the visitor had to wait in the queue.' }),
    createdAt: describeDate('Start time'),
    closedAt: describeDate('End time; null while the conversation is open').nullable(),
    websiteId: z.int().meta({ description: 'The website that the visitor was on.' }),
    operatorId: z
      .int()
      .nullable()
      .meta({ description: 'The operator who has or had the conversation; null without one.' }),
    skillId: z.int().nullable().meta({ description: 'The requested skill.' }),
    tagList: z.array(z.int()).meta({ description: 'Tag identifiers.' }),
  })
  .meta({ id: 'Conversation', description: 'A conversation between a visitor and operators.' });

const ENTRY_TYPES: Record<HistoryEntry['authorType'], 1 | 2 | 3> = { operator: 1, visitor: 2, notice: 3 };

interface ConversationSources {
  readonly conversationQuery: ConversationQuery;
  readonly attachmentQuery: AttachmentQuery;
  readonly tags: TagService;
  readonly log: EventLog;
}

type ConversationFilters = RequestedPeriod & { readonly channel?: readonly Channel[] } & {
  readonly [name in 'id' | 'websiteId' | 'operatorId' | 'visitorId' | 'skillId' | 'tagId']?: IdFilter;
};

class ConversationResource implements Resource<Conversation> {
  readonly name = 'conversation';
  readonly alias = `conversation${JSON_UNICODE_SUFFIX}`;
  readonly schema = conversationSchema;
  readonly filters = CONVERSATION_FILTERS;
  readonly #sources: ConversationSources;

  constructor(sources: ConversationSources) {
    this.#sources = sources;
  }

  async page({ accountId }: Caller, filters: Filters, window: Window): Promise<Page<Conversation>> {
    const { from, to, channel, ...rest } = filters as ConversationFilters;
    const { now } = await this.#sources.log.readPositionAndTime(accountId);
    const period = limitToThreeMonths(['filters'], { from, to }, now);
    return this.#sources.conversationQuery.page(accountId, { ...rest, channels: channel, period }, window);
  }

  find({ accountId }: Caller, id: number): Promise<Conversation | undefined> {
    return this.#sources.conversationQuery.find(accountId, id);
  }

  /** Fields from other tables are read in one batch, and only if selected. */
  async render({ accountId }: Caller, rows: readonly Conversation[], selection: Selection): Promise<string[]> {
    const { tags, conversationQuery } = this.#sources;
    const isSelected = (field: string) => selection === 'all' || selection.has(field);
    const uids = isSelected('visitor_uid') ? await conversationQuery.loadVisitorUids(accountId, rows) : undefined;
    const histories = isSelected('history') ? await this.#loadHistories(accountId, rows) : undefined;
    const ids = rows.map((row) => row.id);
    const tagLists = isSelected('tag_list') ? await tags.loadTagIds(accountId, ids) : undefined;
    return rows.map((row) => {
      const object = {
        id: row.id,
        channel: row.channel,
        visitor_uid: (row.visitorId === null ? undefined : uids?.get(row.visitorId)) ?? null,
        history: histories?.get(row.id) ?? [],
        operator_answer: row.firstAnswerAt !== null,
        operator_closed: row.closedBy === 'operator',
        waitinglist: row.hasWaited,
        created_at: toWireDate(row.createdAt),
        closed_at: row.closedAt === null ? null : toWireDate(row.closedAt),
        website_id: row.websiteId,
        operator_id: row.operatorId,
        skill_id: row.skillId,
        tag_list: tagLists?.get(row.id) ?? [],
      };
      return renderObject('conversation', object, selection);
    });
  }

  async #loadHistories(accountId: number, rows: readonly Conversation[]) {
    const { attachmentQuery, conversationQuery } = this.#sources;
    const written = rows.filter(({ messageCount }) => messageCount > 0).map(({ id }) => id);
    const [histories, files] = await Promise.all([
      conversationQuery.loadHistories(accountId, rows),
      attachmentQuery.loadNames(accountId, written),
    ]);
    return new Map(
      [...histories].map(([id, entries]) => {
        const bySequence = Map.groupBy(files.get(id) ?? [], ({ sequence }) => sequence);
        return [id, entries.map((entry) => toWireEntry(entry, bySequence.get(entry.sequence) ?? []))];
      }),
    );
  }
}

function toWireEntry({ authorType, at, text }: HistoryEntry, files: readonly FileName[]) {
  const lines = [...(text === '' ? [] : [text]), ...files.map(renderFileLine)];
  return [ENTRY_TYPES[authorType], toWireDate(at), lines.join('\n'), at];
}

export function registerConversation(app: FastifyInstance, sources: ConversationSources, usage: RestUsage): void {
  registerReads(app, new ConversationResource(sources), usage);
}
