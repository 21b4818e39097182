import { isDeepStrictEqual } from 'node:util';
import type { Changes, Transaction } from '../../storage/database.ts';
import type { Caller } from '../kernel/caller.ts';

/**
 * Adds a change to the event log. The subject type defaults to the first word of the event type (`operator.updated`);
 * pass another when the change belongs to that subject and must stay in order with its events.
 */
export function announce(
  tx: Transaction,
  caller: Pick<Caller, 'accountId' | 'actor'>,
  type: `${string}.${string}`,
  subjectId: number,
  changes: Changes = { fields: [], values: {} },
  subjectType: string = type.slice(0, type.indexOf('.')),
): void {
  tx.emit({ accountId: caller.accountId, type, subjectType, subjectId, actor: caller.actor, changes });
}

/** The changed fields, with their new values unless these are personal or secret. */
export function changesBetween<T extends object>(
  before: Partial<T>,
  after: T,
  hidden: ReadonlySet<string> = new Set(),
): Changes {
  const changedEntries = Object.entries(after).filter(
    ([name, value]) => !isDeepStrictEqual(before[name as keyof T], value),
  );
  return {
    fields: changedEntries.map(([name]) => name),
    values: Object.fromEntries(changedEntries.filter(([name]) => !hidden.has(name))),
  };
}
