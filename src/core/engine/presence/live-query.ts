import type { Kysely } from 'kysely';
import type { Tables } from '../../../storage/tables.ts';
import { CHANNELS } from '../../kernel/channels.ts';
import { type OperatorFilters, selectOperators } from '../../operators/operator-filter.ts';

export interface LiveRequest {
  readonly filters: OperatorFilters;
  /** Return all operators who logged in at least once, instead of only connected and available ones. */
  readonly includeOffline: boolean;
}

export interface StampRow {
  readonly id: number;
  readonly version: number;
  readonly connected: number;
  readonly namedOnly: number;
  readonly leaseUntil: number;
}

/** Selects the default list: operators who are connected and, on at least one channel, enabled and available. */
export function selectAvailableRows(db: Kysely<Tables>) {
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

export type LiveRowQuery = ReturnType<typeof selectAvailableRows>;

/** Selects the rows that match a request; the caller selects the columns. */
export function selectLiveRows(db: Kysely<Tables>, accountId: number, request: LiveRequest): LiveRowQuery {
  const rows = request.includeOffline
    ? db.selectFrom('operatorLive as live').where('live.firstLoginAt', 'is not', null)
    : selectAvailableRows(db);
  const accountRows = rows.where('live.accountId', '=', accountId);
  if (Object.values(request.filters).every((filter) => filter === undefined)) return accountRows;
  return accountRows.where(
    'live.operatorId',
    'in',
    selectOperators(db, accountId, request.filters).select('operators.id'),
  );
}

export function selectStamps(rows: LiveRowQuery) {
  return rows
    .select((eb) => [
      'live.operatorId as id',
      'live.version as version',
      'live.namedOnly as namedOnly',
      'live.leaseUntil as leaseUntil',
      eb('live.leaseUntil', '>', eb.fn<number>('now_ms', [])).$castTo<number>().as('connected'),
    ])
    .orderBy('live.operatorId', 'desc');
}
