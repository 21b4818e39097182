import { sql } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../storage/database.ts';
import { type Caller, forbidden } from '../caller.ts';

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

/** A stretch of time by the moment at which a conversation began; each end may be open. */
export interface Period {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Whose figures: of operators or of skills, perhaps of one period and of the operators of some groups only. */
export interface StatisticsQuestion {
  readonly subject: 'operatorId' | 'skillId';
  readonly ids: readonly number[];
  readonly period?: Period;
  readonly groups?: ReadonlySet<number> | 'account';
}

export interface Figures {
  /** Conversations that were accepted. */
  readonly conversationNumber: number;
  /** Conversations in which the operator wrote or spoke. */
  readonly answeredNumber: number;
  /** From the acceptance to the first answer, on average; null without any. */
  readonly firstAnswerSeconds: number | null;
  /** Mean of the notes, between 0 and 1; null without surveys. */
  readonly satisfactionRate: number | null;
  /** Points: 10 for each conversation that was answered and closed. */
  readonly experience: number;
}

const POINTS = 10;
const BEST_NOTE = 5;
const NOTHING: Figures = {
  conversationNumber: 0,
  answeredNumber: 0,
  firstAnswerSeconds: null,
  satisfactionRate: null,
  experience: 0,
};

interface CountedRow {
  readonly subject: number;
  readonly accepted: number;
  readonly answered: number;
  readonly completed: number;
  readonly milliseconds: number | null;
}

/** Counted from the rows at each read, never kept beside them. There may be very many, so it is a slow read. */
export class Statistics {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The figures of several operators or skills, two statements for all of them. */
  async of(accountId: number, question: StatisticsQuestion): Promise<Figures[]> {
    const handled = await this.#database.slowly<CountedRow>(this.#handled(accountId, question));
    const rated = await this.#database.slowly(this.#rated(accountId, question));
    return question.ids.map((id) =>
      figures(
        handled.find((row) => row.subject === id),
        rated.find((row) => row.subject === id)?.mean,
      ),
    );
  }

  /** The figures of skills: for admins of everybody, for managers of the operators of their groups. */
  async ofSkills(
    { accountId, standing, managedGroups }: Caller,
    { ids, period }: { ids: readonly number[]; period: Period },
  ): Promise<Figures[]> {
    if (standing !== 'admin' && standing !== 'manager') throw forbidden();
    return this.of(accountId, { subject: 'skillId', ids, period, groups: managedGroups });
  }

  #handled(accountId: number, question: StatisticsQuestion) {
    const { subject } = question;
    return this.#conversations(accountId, question)
      .select([
        `conversations.${subject} as subject`,
        sql<number>`count(*)`.as('accepted'),
        sql<number>`count(first_answer_at)`.as('answered'),
        sql<number>`sum(case when state = 'closed' and first_answer_at is not null then 1 else 0 end)`.as('completed'),
        sql<number | null>`avg(first_answer_at - accepted_at)`.as('milliseconds'),
      ])
      .groupBy(`conversations.${subject}`)
      .$castTo<CountedRow>();
  }

  #rated(accountId: number, question: StatisticsQuestion) {
    const { subject } = question;
    return this.#conversations(accountId, question)
      .innerJoin('satisfactions', (join) =>
        join
          .onRef('satisfactions.accountId', '=', 'conversations.accountId')
          .onRef('satisfactions.conversationId', '=', 'conversations.id'),
      )
      .select([
        `conversations.${subject} as subject`,
        sql<number | null>`avg((note_welcome + note_resolution + note_delay) / 3.0)`.as('mean'),
      ])
      .groupBy(`conversations.${subject}`);
  }

  #conversations(accountId: number, { subject, ids, period, groups }: StatisticsQuestion) {
    const { from, to } = period ?? {};
    let query = this.#database.read
      .selectFrom('conversations')
      .where('conversations.accountId', '=', accountId)
      .where(`conversations.${subject}`, 'in', ids)
      .where('conversations.acceptedAt', 'is not', null)
      .where((eb) => this.#database.withinDeadline(eb.ref('conversations.acceptedAt').$castTo<number>()));
    if (from !== undefined) query = query.where('conversations.createdAt', '>=', from);
    if (to !== undefined) query = query.where('conversations.createdAt', '<', to);
    if (groups !== undefined && groups !== 'account') {
      query = query.where('conversations.operatorId', 'in', (eb) =>
        eb
          .selectFrom('operators')
          .select('id')
          .where('accountId', '=', accountId)
          .where('groupId', 'in', [...groups]),
      );
    }
    return query;
  }
}

function figures(row: CountedRow | undefined, mean: number | null | undefined): Figures {
  const rate = mean === null || mean === undefined ? null : Math.round((mean / BEST_NOTE) * 100) / 100;
  if (!row) return { ...NOTHING, satisfactionRate: rate };
  return {
    conversationNumber: row.accepted,
    answeredNumber: row.answered,
    firstAnswerSeconds: row.milliseconds === null ? null : Math.round(row.milliseconds) / 1000,
    satisfactionRate: rate,
    experience: row.completed * POINTS,
  };
}
