import type { Kysely } from 'kysely';
import type { Tables } from '../../../storage/tables.ts';
import { CHANNELS } from '../../kernel/channels.ts';
import { filteredOperators, type OperatorFilters } from '../../operators/operator-filter.ts';

export interface LiveRequest {
  readonly filters: OperatorFilters;
  /** Offline operators too: all who logged in at least once, whatever their flags. */
  readonly everyone: boolean;
}

export interface StampRow {
  readonly id: number;
  readonly version: number;
  readonly connected: number;
  readonly named: number;
  readonly until: number;
}

/** Those whom a list shows by default: connected and, on at least one channel, enabled and available. */
export function presentRows(db: Kysely<Tables>) {
  return db
    .selectFrom('operatorLive as live')
    .where('live.leaseUntil', '>', (eb) => eb.fn<number>('now_ms', []))
    .where((eb) =>
      eb.or(
        CHANNELS.map((channel) =>
          eb.and([eb(`live.${channel}Enabled`, '=', 1), eb(`live.${channel}Available`, '=', 1)]),
        ),
      ),
    );
}

export type LiveRows = ReturnType<typeof presentRows>;

/** The rows that a request means, still without columns. */
export function filteredLive(db: Kysely<Tables>, accountId: number, request: LiveRequest): LiveRows {
  const rows = request.everyone
    ? db.selectFrom('operatorLive as live').where('live.firstLoginAt', 'is not', null)
    : presentRows(db);
  const own = rows.where('live.accountId', '=', accountId);
  if (Object.values(request.filters).every((filter) => filter === undefined)) return own;
  return own.where('live.operatorId', 'in', filteredOperators(db, accountId, request.filters).select('operators.id'));
}

export function stampColumns(rows: LiveRows) {
  return rows
    .select((eb) => [
      'live.operatorId as id',
      'live.version as version',
      'live.namedOnly as named',
      'live.leaseUntil as until',
      eb('live.leaseUntil', '>', eb.fn<number>('now_ms', [])).$castTo<number>().as('connected'),
    ])
    .orderBy('live.operatorId', 'desc');
}
