import type { Actor, Transaction } from '../../storage/database.ts';
import { DomainError } from './errors.ts';

/** How much somebody may do: the highest of their roles. An API key stands like an admin. */
export type AccessLevel = 'expert' | 'operator' | 'manager' | 'admin';

/** On whose behalf a service acts. */
export interface Caller {
  readonly accountId: number;
  readonly actor: Actor;
  /** False for a read key: it sees everything of its account but secrets, and changes nothing. */
  readonly canWrite: boolean;
  readonly accessLevel: AccessLevel;
  /** The operator whose token it is; null for keys and the system. */
  readonly operatorId: number | null;
  /** Whose operators the caller manages: those of these groups, or all of the account. Empty below managers. */
  readonly managedGroups: ReadonlySet<number> | 'account';
}

/** Somebody who may do everything in an account: a key, the command line, the service itself. */
export function fullAccessCaller(accountId: number, actor: Actor, canWrite = true): Caller {
  return { accountId, actor, canWrite, accessLevel: 'admin', operatorId: null, managedGroups: 'account' };
}

/** Who is behind a change, and in which account. */
export type ActorContext = Pick<Caller, 'accountId' | 'actor'>;

/** For what has no actor of its own to keep. */
export type AccountContext = Pick<Caller, 'accountId'>;

/** The actor of what happens by time. */
export const SYSTEM: Actor = { type: 'system', id: null };

export function systemContext(accountId: number): ActorContext {
  return { accountId, actor: SYSTEM };
}

/** The actor of everything that happens before anybody is there. */
export function systemCaller(accountId: number): Caller {
  return fullAccessCaller(accountId, SYSTEM);
}

/** A visitor of a website, by their token. They can reach their own conversations and nothing else. */
export interface VisitorCaller extends ActorContext {
  readonly visitorId: number;
  readonly websiteId: number;
  /** The language of the session, for conversations that name none. */
  readonly language: string;
}

/** The same caller, with the way and the address by which they came: the log of changes keeps it. */
export function withOrigin<Someone extends { readonly actor: Actor }>(
  someone: Someone,
  via: NonNullable<Actor['via']>,
  address: string,
): Someone {
  const shown = address.replace(/^::ffff:(?=\d+\.)/i, '').slice(0, MAX_ADDRESS_LENGTH); // IPv4 in the clothes of IPv6
  return { ...someone, actor: { ...someone.actor, via, address: shown } };
}

/** Of an IPv6 address with its zone; a proxy may say anything. */
const MAX_ADDRESS_LENGTH = 64;

/**
 * How a change is committed. A protocol wraps the transaction, for example to keep the answer under an
 * idempotency key; a service does its slow work (hashing) before and calls this once.
 */
export type Commit<T> = (work: (tx: Transaction) => Promise<T>) => Promise<T>;

/** The plain way to commit. */
export type Transact = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;

/** The plain way to commit changes of an account. */
export type TransactIn = (accountId: number) => Transact;

/** Whether two looks at the same caller, one after the other, allow the same. */
export function hasSamePermissions(one: Caller, other: Caller): boolean {
  const [groups, others] = [one.managedGroups, other.managedGroups];
  const sameGroups =
    groups === others ||
    (groups !== 'account' && others !== 'account' && groups.symmetricDifference(others).size === 0);
  return one.accessLevel === other.accessLevel && sameGroups;
}

export function requireWrite(caller: Caller): void {
  if (!caller.canWrite) throw forbidden();
}

/** Websites, groups, skills, keys and accounts are changed by admins alone. */
export function requireAdmin(caller: Caller): void {
  requireWrite(caller);
  if (caller.accessLevel !== 'admin') throw forbidden();
}

export function forbidden(): DomainError {
  return new DomainError('forbidden', 'Forbidden');
}
