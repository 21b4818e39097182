import { sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import { type StatisticsRequest, selectCountedConversations } from './counted-conversations.ts';

interface CoverageRow {
  readonly subject: number;
  readonly handled: number;
  readonly covered: number;
}

/** Computes how many conversations ran at the same time. */
export class SimultaneousConversations {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns for each subject the average number of active conversations, while there was at least one. */
  async average(accountId: number, request: StatisticsRequest): Promise<(number | null)[]> {
    if (request.ids.length === 0) return [];
    const rows = await this.#database.readOffThread<CoverageRow>(this.#buildQuery(accountId, request));
    const averages = new Map(rows.map(({ subject, handled, covered }) => [subject, toAverage(handled, covered)]));
    return request.ids.map((id) => averages.get(request.subject === 'account' ? 0 : id) ?? null);
  }

  /**
   * The sum of all durations, divided by the time during which at least one conversation was active. In the order of
   * acceptance, each conversation covers what lies after the latest end so far.
   */
  #buildQuery(accountId: number, request: StatisticsRequest) {
    const counted = selectCountedConversations(this.#database, accountId, request);
    const query = sql<CoverageRow>`select subject, sum(ended - accepted) as handled,
        sum(case when covered_until is null or covered_until <= accepted then ended - accepted
          when covered_until < ended then ended - covered_until else 0 end) as covered
      from (select subject, accepted, ended, max(ended) over (
            partition by subject order by accepted, ended rows between unbounded preceding and 1 preceding
          ) as covered_until
        from (select subject, accepted, coalesce(ended, now_ms()) as ended from (${counted}) counted
          where accepted is not null) active) ordered
      where ended > accepted group by subject`;
    return { compile: () => query.compile(this.#database.read) };
  }
}

function toAverage(handled: number, covered: number): number {
  return Math.round((handled / covered) * 100) / 100;
}
