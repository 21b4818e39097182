import { sql } from 'kysely';
import type { Database } from '../../storage/database.ts';

export interface OperatorStatistics {
  readonly id: number;
  /** Conversations that the operator accepted. */
  readonly conversationNumber: number;
  /** Mean of the notes, between 0 and 1; 0 without surveys. */
  readonly satisfactionGlobalRate: number;
  /** Points: 10 for each conversation that the operator answered and that was closed. */
  readonly experience: number;
}

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
