import type { NewEvent } from '../database.ts';
import type { Execute, StatementResult } from './dialect.ts';

/**
 * One statement for all events of an account. It allocates positions under the lock of the account's row, so that a
 * position never becomes visible before a smaller one.
 */
const APPEND = `
  with account as (
    update accounts set event_position = event_position + $2 where id = $1 returning event_position - $2 as last
  )
  insert into events (account_id, position, type, subject_type, subject_id, actor_type, actor_id, at, changes, via, address)
  select $1, last + number, type, subject_type, subject_id, actor_type, actor_id, at, changes, via, address
  from account, json_to_recordset($3::text::json) as new_events (number bigint, type text, subject_type text, subject_id bigint,
    actor_type text, actor_id bigint, at bigint, changes text, via text, address text)`;

export interface EmittedEvent extends NewEvent {
  readonly at: number;
}

/** Writes the events of a transaction, as its last step before the commit. */
export function appendEvents(execute: Execute, events: readonly EmittedEvent[]): Promise<StatementResult>[] {
  const byAccount = Map.groupBy(events, (event) => event.accountId);
  return [...byAccount].map(([accountId, accountEvents]) =>
    execute(APPEND, [accountId, accountEvents.length, JSON.stringify(accountEvents.map(toRow))]),
  );
}

function toRow({ type, subjectType, subjectId, actor, at, changes }: EmittedEvent, index: number): object {
  return {
    number: index + 1,
    type,
    subject_type: subjectType,
    subject_id: subjectId,
    actor_type: actor.type,
    actor_id: actor.id,
    at,
    changes: JSON.stringify(changes),
    via: actor.via ?? null,
    address: actor.address ?? null,
  };
}
