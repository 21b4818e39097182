import { isDeepStrictEqual } from 'node:util';
import type { Changes, Transaction } from '../../storage/database.ts';
import type { ActorContext } from '../kernel/caller.ts';

/**
 * Adds a change to the event log. The subject type defaults to the first word of the event type (`operator.updated`);
 * pass another when the change belongs to that subject and must stay in order with its events.
 */
export function announce(
  tx: Transaction,
  context: ActorContext,
  type: `${string}.${string}`,
  subjectId: number,
  changes: Changes = { fields: [], values: {} },
  subjectType: string = type.slice(0, type.indexOf('.')),
): void {
  tx.emit({ accountId: context.accountId, type, subjectType, subjectId, actor: context.actor, changes });
}

/** Returns the changed fields, with their new values except those of `hidden` fields. */
export function computeChanges<T extends object>(
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
