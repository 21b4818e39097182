import type { Actor, Transaction } from '../storage/database.ts';
import { DomainError } from './errors.ts';

/** On whose behalf a service acts. */
export interface Caller {
  readonly accountId: number;
  readonly actor: Actor;
  readonly mayWrite: boolean;
}

/**
 * How a change is committed. A protocol wraps the transaction, for example to keep the answer under an
 * idempotency key; a service does its slow work (hashing) before and calls this once.
 */
export type Commit<T> = (work: (tx: Transaction) => Promise<T>) => Promise<T>;

/** The plain way to commit. */
export type Transact = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;

export function requireWrite(caller: Caller): void {
  if (!caller.mayWrite) throw new DomainError('forbidden', 'Forbidden');
}
