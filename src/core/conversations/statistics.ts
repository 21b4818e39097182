import { sql } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../storage/database.ts';

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

const POINTS = 10;
const BEST_NOTE = 5;

/** Counted from the rows at each read, never kept beside them. An operator may have very many, so it is a slow read. */
export class Statistics {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async ofOperator(accountId: number, operatorId: number): Promise<OperatorStatistics> {
    const [handled] = await this.#database.slowly(
      this.#database.read
        .selectFrom('conversations')
        .select((eb) => [
          eb.fn.countAll<number>().as('accepted'),
          sql<number>`sum(case when state = 'closed' and first_answer_at is not null then 1 else 0 end)`.as('answered'),
        ])
        .where('accountId', '=', accountId)
        .where('operatorId', '=', operatorId)
        .where('acceptedAt', 'is not', null)
        .where((eb) => this.#database.withinDeadline(eb.ref('acceptedAt').$castTo<number>())),
    );
    const [rated] = await this.#database.slowly(
      this.#database.read
        .selectFrom('satisfactions')
        .select(sql<number | null>`avg((note_welcome + note_resolution + note_delay) / 3.0)`.as('mean'))
        .where('accountId', '=', accountId)
        .where('operatorId', '=', operatorId)
        .where((eb) => this.#database.withinDeadline(eb.ref('id'))),
    );
    return {
      id: operatorId,
      conversationNumber: handled?.accepted ?? 0,
      satisfactionGlobalRate: Math.round(((rated?.mean ?? 0) / BEST_NOTE) * 100) / 100,
      experience: (handled?.answered ?? 0) * POINTS,
    };
  }
}
