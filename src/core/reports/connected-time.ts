import { sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import type { IdFilter } from '../kernel/filters.ts';
import { selectOperators } from '../operators/operator-filter.ts';
import type { StatisticsRequest } from './counted-conversations.ts';

const END_OF_TIME = Number.MAX_SAFE_INTEGER;

/** Computes how long operators were connected, from the live history. */
export class ConnectedTime {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns whole seconds: the sum over the current operators of each subject. */
  async sumSeconds(accountId: number, request: StatisticsRequest): Promise<number[]> {
    if (request.ids.length === 0) return [];
    const rows = await this.#database.readOffThread<{ subject: number; milliseconds: number }>(
      this.buildSumQuery(accountId, request),
    );
    const millisecondsBySubject = new Map(rows.map((row) => [row.subject, row.milliseconds]));
    return request.ids.map((id) =>
      Math.round((millisecondsBySubject.get(request.subject === 'account' ? 0 : id) ?? 0) / 1000),
    );
  }

  /**
   * Each row of the history is valid until the next row. For every operator this reads the rows of the period, the row
   * before it for the state at its start, and the row after it. After the last row, the current lease decides.
   */
  buildSumQuery(accountId: number, request: StatisticsRequest) {
    const { from = 0, to = END_OF_TIME } = request.filters?.period ?? {};
    const selectBound = (end: 'max' | 'min', side: '<=' | '>=', time: number) =>
      sql`(select ${sql.raw(end)}(b.at) from live_history b where b.account_id = ${accountId}
        and b.operator_id = members.operator and b.at ${sql.raw(side)} ${time})`;
    const intervals = sql`select members.subject as subject, h.connected as connected, h.at as at,
        coalesce(
          lead(h.at) over (partition by members.subject, members.operator order by h.at, h.version),
          case when live.lease_until > now_ms() then now_ms() else live.lease_until end,
          h.at) as until
      from (${this.#selectMembers(accountId, request)}) members
      cross join live_history h
      left join operator_live live on live.account_id = ${accountId} and live.operator_id = members.operator
      where h.account_id = ${accountId} and h.operator_id = members.operator
        and h.at >= coalesce(${selectBound('max', '<=', from)}, 0)
        and h.at <= coalesce(${selectBound('min', '>=', to)}, ${END_OF_TIME})
        and ${this.#database.isWithinDeadline(sql.ref('h.version'))}`;
    const start = sql`case when at < ${from} then ${from} else at end`;
    const end = sql`case when until > ${to} then ${to} else until end`;
    const query = sql<{ subject: number; milliseconds: number }>`select subject,
        coalesce(sum(case when ${end} > ${start} then ${end} - ${start} else 0 end), 0) as milliseconds
      from (${intervals}) intervals where connected = 1 group by subject`;
    return { compile: () => query.compile(this.#database.read) };
  }

  /** Selects the current operators of each subject that match the filters. */
  #selectMembers(accountId: number, { subject, ids, filters = {} }: StatisticsRequest) {
    const subjectFilter: IdFilter = { kind: 'ids', ids };
    const { operatorId, groupId, websiteId, skillId, scope } = filters;
    let query = selectOperators(this.#database.read, accountId, {
      id: subject === 'operator' ? subjectFilter : operatorId,
      groupId: subject === 'group' ? subjectFilter : groupId,
      websiteId: subject === 'website' ? subjectFilter : websiteId,
      skillId: subject === 'skill' ? subjectFilter : skillId,
    });
    if (scope) query = query.where('operators.groupId', 'in', scope.groups.length === 0 ? [0] : [...scope.groups]);
    if (subject === 'skill' || subject === 'website') {
      const table = sql.raw(`operator_${subject}s`);
      const key = sql.raw(`m.${subject}_id`);
      return sql`select operators.id as operator, ${key} as subject from (${query.select('operators.id')}) operators
        cross join ${table} m where m.account_id = ${accountId} and m.operator_id = operators.id and ${key} in (${sql.join(ids)})`;
    }
    const owner = { account: sql`0`, operator: sql.ref('operators.id'), group: sql.ref('operators.groupId') }[subject];
    return sql`${query.select(['operators.id as operator', owner.as('subject')])}`;
  }
}
