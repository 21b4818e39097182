import { sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import type { IdFilter } from '../kernel/filters.ts';
import { filteredOperators } from '../operators/operator-filter.ts';
import type { StatisticsQuestion } from './statistics.ts';

const AFTER_ALL = Number.MAX_SAFE_INTEGER;

/** Hours worked: how long operators were connected, from the history of their live states. */
export class ConnectedTime {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** In whole seconds, for each subject the sum of its operators as they belong to it now. */
  async of(accountId: number, question: StatisticsQuestion): Promise<number[]> {
    if (question.ids.length === 0) return [];
    const rows = await this.#database.readOffThread<{ subject: number; milliseconds: number }>(
      this.sumQuery(accountId, question),
    );
    const found = new Map(rows.map((row) => [row.subject, row.milliseconds]));
    return question.ids.map((id) => Math.round((found.get(question.subject === 'account' ? 0 : id) ?? 0) / 1000));
  }

  /**
   * Each row of the history says what was true from its moment to that of the next. Of every operator are read: the rows of the
   * period, the one before it, which tells how it began, and the one after it. After the last row the present lease decides.
   */
  sumQuery(accountId: number, question: StatisticsQuestion) {
    const { from = 0, to = AFTER_ALL } = question.filters?.period ?? {};
    const bound = (end: 'max' | 'min', side: '<=' | '>=', moment: number) =>
      sql`(select ${sql.raw(end)}(b.at) from live_history b where b.account_id = ${accountId}
        and b.operator_id = members.operator and b.at ${sql.raw(side)} ${moment})`;
    const stretches = sql`select members.subject as subject, h.connected as connected, h.at as at,
        coalesce(
          lead(h.at) over (partition by members.subject, members.operator order by h.at, h.version),
          case when live.lease_until > now_ms() then now_ms() else live.lease_until end,
          h.at) as until
      from (${this.#members(accountId, question)}) members
      cross join live_history h
      left join operator_live live on live.account_id = ${accountId} and live.operator_id = members.operator
      where h.account_id = ${accountId} and h.operator_id = members.operator
        and h.at >= coalesce(${bound('max', '<=', from)}, 0)
        and h.at <= coalesce(${bound('min', '>=', to)}, ${AFTER_ALL})
        and ${this.#database.withinDeadline(sql.ref('h.version'))}`;
    const start = sql`case when at < ${from} then ${from} else at end`;
    const end = sql`case when until > ${to} then ${to} else until end`;
    const query = sql<{ subject: number; milliseconds: number }>`select subject,
        coalesce(sum(case when ${end} > ${start} then ${end} - ${start} else 0 end), 0) as milliseconds
      from (${stretches}) stretches where connected = 1 group by subject`;
    return { compile: () => query.compile(this.#database.read) };
  }

  /** Who belongs to each subject now, as far as the filters on operators allow. */
  #members(accountId: number, { subject, ids, filters = {} }: StatisticsQuestion) {
    const named: IdFilter = { kind: 'ids', ids };
    const { operatorId, groupId, websiteId, skillId, reach } = filters;
    let query = filteredOperators(this.#database.read, accountId, {
      id: subject === 'operator' ? named : operatorId,
      groupId: subject === 'group' ? named : groupId,
      websiteId: subject === 'website' ? named : websiteId,
      skillId: subject === 'skill' ? named : skillId,
    });
    if (reach) query = query.where('operators.groupId', 'in', reach.groups.length === 0 ? [0] : [...reach.groups]);
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
