import { sql } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../storage/database.ts';
import { buildIdCondition, type IdFilter } from '../kernel/filters.ts';
import type { Period } from '../kernel/period.ts';
import { type StatisticsRequest, selectCountedConversations } from './counted-conversations.ts';

export const statisticsSchema = z
  .object({
    id: z.int().meta({ description: 'Operator identifier.' }),
    conversationNumber: z.int().min(0).meta({ description: 'Conversations that the operator accepted.' }),
    satisfactionGlobalRate: z
      .number()
      .min(0)
      .max(1)
      .meta({ description: 'Average satisfaction, from 0 to 1. 0 if there are no surveys.', deprecated: true }),
    experience: z
      .int()
      .min(0)
      .meta({ description: 'Points: 10 for each conversation that the operator answered and that was closed.' }),
  })
  .meta({ id: 'OperatorStatistics', description: 'Statistics of an operator.' });
export type OperatorStatistics = z.output<typeof statisticsSchema>;

export interface Figures {
  /** Accepted conversations. In the figures of operators, a conversation counts for each operator who accepted it. */
  readonly conversationNumber: number;
  /** Conversations in which the operator wrote or spoke. */
  readonly answeredNumber: number;
  /** Average time from acceptance to first answer; null if there are none. */
  readonly firstAnswerSeconds: number | null;
  /** Average time from start to acceptance; null if there are none. */
  readonly waitingSeconds: number | null;
  /** Average time from acceptance to the close, or to the acceptance by the next operator; null if there are none. */
  readonly durationSeconds: number | null;
  /** Conversations that were queued, also those that still are. */
  readonly queuedNumber: number;
  /** Average time that these waited: until acceptance, the close, or now; null if there are none. */
  readonly queuedSeconds: number | null;
  /** Conversations closed by the visitor or the system before an operator accepted them. */
  readonly abandonedNumber: number;
  /** Average satisfaction, from 0 to 1; null if there are no surveys. */
  readonly satisfactionRate: number | null;
  /** Points: 10 for each conversation that was answered and closed. */
  readonly experience: number;
}

const POINTS_PER_CONVERSATION = 10;
const MAX_NOTE_SUM = 3 * 5;

interface AggregateRow {
  readonly subject: number;
  readonly accepted: number;
  readonly answered: number;
  readonly completed: number;
  readonly abandoned: number;
  readonly answering: number | null;
  readonly waiting: number | null;
  readonly handling: number | null;
  readonly queued: number;
  readonly queueing: number | null;
  readonly satisfaction: number | null;
}

/**
 * Computes figures from the rows at each read, never from stored counters. Reads off-thread, because there may be very
 * many rows.
 */
export class Statistics {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The figures of each subject, with one statement. */
  async compute(accountId: number, request: StatisticsRequest): Promise<Figures[]> {
    const { subject, ids } = request;
    if (ids.length === 0) return [];
    const rows = await this.#database.readOffThread(this.countQuery(accountId, request));
    const rowsBySubject = new Map(rows.map((row) => [row.subject, row]));
    return ids.map((id) => toFigures(rowsBySubject.get(subject === 'account' ? 0 : id)));
  }

  /** Refused conversations, which are counted by website and whole day. */
  async countRefused(
    accountId: number,
    { websiteId, period = {} }: { readonly websiteId?: IdFilter | undefined; readonly period?: Period | undefined },
  ): Promise<number> {
    let query = this.#database.read
      .selectFrom('refusals')
      .select(sql<number>`coalesce(sum(count), 0)`.as('count'))
      .where('accountId', '=', accountId)
      .where((eb) => this.#database.isWithinDeadline(eb.ref('websiteId')));
    if (websiteId) query = query.where((eb) => buildIdCondition(eb.ref('websiteId'), websiteId));
    if (period.from !== undefined) query = query.where('day', '>=', toDay(period.from));
    if (period.to !== undefined) query = query.where('day', '<=', toDay(period.to - 1));
    return (await this.#database.readOffThread(query))[0]?.count ?? 0;
  }

  countQuery(accountId: number, request: StatisticsRequest) {
    const { subject } = request;
    const rows = selectCountedConversations(this.#database, accountId, request);
    const query = this.#database.read.selectFrom(rows.as('counted')).select([
      // Without `group by`, nothing is sorted.
      (subject === 'account' ? sql<number>`min(subject)` : sql<number>`subject`).as('subject'),
      sql<number>`count(accepted)`.as('accepted'),
      sql<number>`count(case when accepted is not null then answered end)`.as('answered'),
      sql<number>`count(case when is_closed = 1 and accepted is not null then answered end)`.as('completed'),
      sql<number>`coalesce(sum(abandoned), 0)`.as('abandoned'),
      sql<number | null>`avg(case when answered >= accepted then answered - accepted end)`.as('answering'),
      sql<number | null>`avg(waiting)`.as('waiting'),
      sql<number | null>`avg(case when ended >= accepted then ended - accepted end)`.as('handling'),
      sql<number>`count(queued)`.as('queued'),
      sql<number | null>`avg(queued)`.as('queueing'),
      sql<number | null>`avg(note)`.as('satisfaction'),
    ]);
    return (subject === 'account' ? query : query.groupBy('subject')).$castTo<AggregateRow>();
  }
}

function toFigures(row: AggregateRow | undefined): Figures {
  return {
    conversationNumber: row?.accepted ?? 0,
    answeredNumber: row?.answered ?? 0,
    firstAnswerSeconds: toSeconds(row?.answering),
    waitingSeconds: toSeconds(row?.waiting),
    durationSeconds: toSeconds(row?.handling),
    queuedNumber: row?.queued ?? 0,
    queuedSeconds: toSeconds(row?.queueing),
    abandonedNumber: row?.abandoned ?? 0,
    satisfactionRate: toRate(row?.satisfaction),
    experience: (row?.completed ?? 0) * POINTS_PER_CONVERSATION,
  };
}

function toSeconds(milliseconds: number | null | undefined): number | null {
  return milliseconds === null || milliseconds === undefined ? null : Math.round(milliseconds) / 1000;
}

function toRate(mean: number | null | undefined): number | null {
  return mean === null || mean === undefined ? null : Math.round((mean / MAX_NOTE_SUM) * 100) / 100;
}

function toDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
