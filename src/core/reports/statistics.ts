import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../storage/database.ts';
import { type ConversationFilters, filteredConversations } from '../engine/conversations/conversation-filter.ts';
import { type IdFilter, matchesId } from '../kernel/filters.ts';
import type { Period } from '../kernel/period.ts';

export const statisticsSchema = z
  .object({
    id: z.int().meta({ description: 'Operator identifier.' }),
    conversationNumber: z.int().min(0).meta({ description: 'Conversations that the operator accepted.' }),
    satisfactionGlobalRate: z
      .number()
      .min(0)
      .max(1)
      .meta({ description: 'Mean of the notes, between 0 and 1; 0 without surveys.', deprecated: true }),
    experience: z
      .int()
      .min(0)
      .meta({ description: 'Points: 10 for each conversation that the operator answered and that was closed.' }),
  })
  .meta({ id: 'OperatorStatistics', description: 'What an operator has done.' });
export type OperatorStatistics = z.output<typeof statisticsSchema>;

/** Whose figures: those of operators, skills, groups, websites, or of the whole account. */
export type StatisticsSubject = 'account' | 'operator' | 'skill' | 'group' | 'website';

/** Of which conversations: what is given must hold. */
export type StatisticsFilters = Pick<
  ConversationFilters,
  'period' | 'channels' | 'websiteId' | 'skillId' | 'groupId' | 'operatorId' | 'reach'
>;

export interface StatisticsQuestion {
  readonly subject: StatisticsSubject;
  /** The identifiers of the subjects; a single one, whichever, for the account. */
  readonly ids: readonly number[];
  readonly filters?: StatisticsFilters;
}

export interface Figures {
  /** Conversations that were accepted; by several operators: one for each of them. */
  readonly conversationNumber: number;
  /** Conversations in which the operator wrote or spoke. */
  readonly answeredNumber: number;
  /** From the acceptance to the first answer, on average; null without any. */
  readonly firstAnswerSeconds: number | null;
  /** From the beginning to the acceptance, on average; null without any. */
  readonly waitingSeconds: number | null;
  /** Conversations that ended before anybody accepted them, by the visitor or by time. */
  readonly abandonedNumber: number;
  /** Mean of the notes, between 0 and 1; null without surveys. */
  readonly satisfactionRate: number | null;
  /** Points: 10 for each conversation that was answered and closed. */
  readonly experience: number;
}

const POINTS = 10;
const BEST_NOTES = 3 * 5;

/**
 * Whose a conversation is. That of a group: its operator belongs to it now; as long as nobody has it, it asks for the group.
 * Each conversation counts for one group, so that the figures of all groups add up.
 */
const OWNER: Record<StatisticsSubject, RawBuilder<number>> = {
  account: sql`0`,
  operator: sql`conversations.operator_id`,
  skill: sql`conversations.skill_id`,
  website: sql`conversations.website_id`,
  group: sql`case when conversations.operator_id is null then conversations.group_id else
    (select o.group_id from operators o where o.account_id = conversations.account_id and o.id = conversations.operator_id) end`,
};

interface CountedRow {
  readonly subject: number;
  readonly accepted: number;
  readonly answered: number;
  readonly completed: number;
  readonly abandoned: number;
  readonly answering: number | null;
  readonly waiting: number | null;
  readonly satisfaction: number | null;
}

/** Counted from the rows at each read, never kept beside them. There may be very many, so it is a slow read. */
export class Statistics {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The figures of several operators, skills, groups or websites: one statement for all of them. */
  async of(accountId: number, question: StatisticsQuestion): Promise<Figures[]> {
    const { subject, ids } = question;
    if (ids.length === 0) return [];
    const rows = await this.#database.readOffThread(this.countQuery(accountId, question));
    const found = new Map(rows.map((row) => [row.subject, row]));
    return ids.map((id) => figures(found.get(subject === 'account' ? 0 : id)));
  }

  /** Conversations that were not taken at all: counted by website and whole day. */
  async refusedNumber(
    accountId: number,
    { websiteId, period = {} }: { readonly websiteId?: IdFilter | undefined; readonly period?: Period | undefined },
  ): Promise<number> {
    let query = this.#database.read
      .selectFrom('refusals')
      .select(sql<number>`coalesce(sum(count), 0)`.as('count'))
      .where('accountId', '=', accountId)
      .where((eb) => this.#database.withinDeadline(eb.ref('websiteId')));
    if (websiteId) query = query.where((eb) => matchesId(eb.ref('websiteId'), websiteId));
    if (period.from !== undefined) query = query.where('day', '>=', dayOf(period.from));
    if (period.to !== undefined) query = query.where('day', '<=', dayOf(period.to - 1));
    return (await this.#database.readOffThread(query))[0]?.count ?? 0;
  }

  countQuery(accountId: number, question: StatisticsQuestion) {
    const { subject } = question;
    const rows =
      subject === 'operator' ? this.#ofOperators(accountId, question) : this.#ofConversations(accountId, question);
    const query = this.#database.read.selectFrom(rows.as('handled')).select([
      // One group needs no sorting.
      (subject === 'account' ? sql<number>`min(subject)` : sql<number>`subject`).as('subject'),
      sql<number>`count(accepted)`.as('accepted'),
      sql<number>`count(case when accepted is not null then answered end)`.as('answered'),
      sql<number>`count(case when is_closed = 1 and accepted is not null then answered end)`.as('completed'),
      sql<number>`coalesce(sum(abandoned), 0)`.as('abandoned'),
      sql<number | null>`avg(case when answered >= accepted then answered - accepted end)`.as('answering'),
      sql<number | null>`avg(waiting)`.as('waiting'),
      sql<number | null>`avg(note)`.as('satisfaction'),
    ]);
    return (subject === 'account' ? query : query.groupBy('subject')).$castTo<CountedRow>();
  }

  /** Each conversation once, with the moments of the first who accepted and answered it. */
  #ofConversations(accountId: number, { subject, ids, filters = {} }: StatisticsQuestion) {
    const named: ConversationFilters =
      subject === 'account' ? filters : { ...filters, [`${subject}Id`]: { kind: 'ids', ids } };
    return this.#rows(accountId, named).select([
      OWNER[subject].as('subject'),
      'conversations.acceptedAt as accepted',
      'conversations.firstAnswerAt as answered',
      IS_CLOSED,
      ABANDONED,
      sql<number | null>`conversations.accepted_at - conversations.created_at`.as('waiting'),
      NOTE,
    ]);
  }

  /** Each conversation once for every operator who accepted it; the survey is about the last of them. */
  #ofOperators(accountId: number, question: StatisticsQuestion) {
    const { ids, filters = {} } = question;
    const only = this.#ofConversations(accountId, question).where('conversations.changedHands', '=', 0);
    const shared = this.#rows(accountId, filters)
      .innerJoin('handlings', (join) =>
        join
          .onRef('handlings.accountId', '=', 'conversations.accountId')
          .onRef('handlings.conversationId', '=', 'conversations.id'),
      )
      .where('handlings.operatorId', 'in', ids)
      .select([
        'handlings.operatorId as subject',
        'handlings.acceptedAt as accepted',
        'handlings.firstAnswerAt as answered',
        IS_CLOSED,
        sql<number>`0`.as('abandoned'),
        sql<number | null>`case when handlings.accepted_at = conversations.accepted_at
          then conversations.accepted_at - conversations.created_at end`.as('waiting'),
        sql<number | null>`case when conversations.operator_id = handlings.operator_id
          then note_welcome + note_resolution + note_delay end`.as('note'),
      ]);
    return only.unionAll(shared as never);
  }

  #rows(accountId: number, filters: ConversationFilters) {
    return filteredConversations(this.#database.read, accountId, filters)
      .leftJoin('satisfactions', (join) =>
        join
          .onRef('satisfactions.accountId', '=', 'conversations.accountId')
          .onRef('satisfactions.conversationId', '=', 'conversations.id'),
      )
      .where((eb) => this.#database.withinDeadline(eb.ref('conversations.id')));
  }
}

const IS_CLOSED = sql<number>`case when state = 'closed' then 1 else 0 end`.as('isClosed');
const ABANDONED = sql<number>`case when state = 'closed' and conversations.accepted_at is null
  and closed_by in ('visitor', 'system') then 1 else 0 end`.as('abandoned');
/** The sum of the three: whole numbers have the same mean everywhere. */
const NOTE = sql<number | null>`note_welcome + note_resolution + note_delay`.as('note');

function figures(row: CountedRow | undefined): Figures {
  return {
    conversationNumber: row?.accepted ?? 0,
    answeredNumber: row?.answered ?? 0,
    firstAnswerSeconds: seconds(row?.answering),
    waitingSeconds: seconds(row?.waiting),
    abandonedNumber: row?.abandoned ?? 0,
    satisfactionRate: rate(row?.satisfaction),
    experience: (row?.completed ?? 0) * POINTS,
  };
}

function seconds(milliseconds: number | null | undefined): number | null {
  return milliseconds === null || milliseconds === undefined ? null : Math.round(milliseconds) / 1000;
}

function rate(mean: number | null | undefined): number | null {
  return mean === null || mean === undefined ? null : Math.round((mean / BEST_NOTES) * 100) / 100;
}

function dayOf(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10);
}
