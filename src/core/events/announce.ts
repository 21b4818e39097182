import { isDeepStrictEqual } from 'node:util';
import type { Changes, Transaction } from '../../storage/database.ts';
import type { Caller } from '../kernel/caller.ts';

/**
 * Puts a change into the event log. The type's first word is the kind of the subject: `operator.updated`; unless another is
 * named, because the thing belongs to it and comes in one order with it.
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

/** Which fields differ, with their new values, except those that are personal or secret. */
export function changesBetween<T extends object>(
  before: Partial<T>,
  after: T,
  hidden: ReadonlySet<string> = new Set(),
): Changes {
  const changed = Object.entries(after).filter(([name, value]) => !isDeepStrictEqual(before[name as keyof T], value));
  return {
    fields: changed.map(([name]) => name),
    values: Object.fromEntries(changed.filter(([name]) => !hidden.has(name))),
  };
}
