import type { Transaction } from './database.ts';

type Work<T> = (tx: Transaction) => Promise<T>;

const works = new WeakSet<Work<unknown>>();

/**
 * Marks work that waits for a statement before it uses the time of the transaction. On a database server its first
 * statements are sent together with the begin, which saves a round trip; behind other changes of its account, it begins
 * before its turn.
 */
export function readsFirst<T>(work: Work<T>): Work<T> {
  works.add(work);
  return work;
}

export function startsWithReads(work: Work<unknown>): boolean {
  return works.has(work);
}
