import type { Actor, Transaction } from '../../storage/database.ts';
import { DomainError } from './errors.ts';

/** An operator's highest role. An API key has the level of an admin. */
export type AccessLevel = 'expert' | 'operator' | 'manager' | 'admin';

/** The account and actor on whose behalf a service acts, with their permissions. */
export interface Caller {
  readonly accountId: number;
  readonly actor: Actor;
  /** False for a read-only key: it can read everything in its account except secrets. */
  readonly canWrite: boolean;
  readonly accessLevel: AccessLevel;
  /** The operator who owns the token; null for API keys and the system. */
  readonly operatorId: number | null;
  /** The groups whose operators the caller manages, or the whole account. Empty below the manager level. */
  readonly managedGroups: ReadonlySet<number> | 'account';
  /** The account requires two-factor authentication, and the operator has not set it up: nothing else is allowed. */
  readonly mustSetUpTwoFactor: boolean;
  /** The identifier of the operator's token or session. */
  readonly tokenId?: number;
  /** Only for the session of a browser. */
  readonly sessionExpiresAt?: number;
}

/** A caller without restrictions in an account: an API key, the command line or the service itself. */
export function fullAccessCaller(accountId: number, actor: Actor, canWrite = true): Caller {
  const permissions = { canWrite, accessLevel: 'admin', managedGroups: 'account', mustSetUpTwoFactor: false } as const;
  return { accountId, actor, operatorId: null, ...permissions };
}

/** The actor of a change, and the account. */
export type ActorContext = Pick<Caller, 'accountId' | 'actor'>;

/** The account of a change that does not record an actor. */
export type AccountContext = Pick<Caller, 'accountId'>;

/** The actor of timed changes. */
export const SYSTEM: Actor = { type: 'system', id: null };

export function systemContext(accountId: number): ActorContext {
  return { accountId, actor: SYSTEM };
}

/** Returns the caller for setup, before the first operator or API key exists. */
export function systemCaller(accountId: number): Caller {
  return fullAccessCaller(accountId, SYSTEM);
}

/** A visitor of a website, identified by a token, who can access only their conversations. */
export interface VisitorCaller extends ActorContext {
  readonly visitorId: number;
  readonly websiteId: number;
  /** The session's language: the default for new conversations. */
  readonly language: string;
}

/** Identifies the operator, API key or visitor who calls: the same for all their tokens, requests and connections. */
export function identifyCaller({ accountId, actor }: ActorContext): string {
  return `${accountId} ${actor.type} ${actor.id}`;
}

/** Adds the interface and the network address to the caller's actor, for the event log. */
export function withOrigin<T extends { readonly actor: Actor }>(
  caller: T,
  via: NonNullable<Actor['via']>,
  address: string,
): T {
  const plainAddress = address.replace(/^::ffff:(?=\d+\.)/i, '').slice(0, MAX_ADDRESS_LENGTH); // IPv4-mapped IPv6
  return { ...caller, actor: { ...caller.actor, via, address: plainAddress } };
}

/** Fits an IPv6 address with its zone. Limits what a proxy can send. */
const MAX_ADDRESS_LENGTH = 64;

/**
 * Commits a change. A protocol can wrap the transaction, for example to store the response under an idempotency key; a
 * service does its slow work (hashing) first and calls this once.
 */
export type Commit<T> = (work: (tx: Transaction) => Promise<T>) => Promise<T>;

/** Runs a transaction without any wrapping. */
export type Transact = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;

export type TransactInAccount = (accountId: number) => Transact;

/** Whether a caller's permissions are unchanged between two reads. */
export function hasSamePermissions(first: Caller, second: Caller): boolean {
  const [firstGroups, secondGroups] = [first.managedGroups, second.managedGroups];
  const hasSameGroups =
    firstGroups === secondGroups ||
    (firstGroups !== 'account' &&
      secondGroups !== 'account' &&
      firstGroups.symmetricDifference(secondGroups).size === 0);
  const hasSameRestriction = first.mustSetUpTwoFactor === second.mustSetUpTwoFactor;
  return first.accessLevel === second.accessLevel && hasSameGroups && hasSameRestriction;
}

/** Throws if the caller may only set up two-factor authentication. */
export function requireTwoFactorSetUp({ mustSetUpTwoFactor }: Caller): void {
  if (mustSetUpTwoFactor) throw new DomainError('forbidden', TWO_FACTOR_REQUIRED);
}

const TWO_FACTOR_REQUIRED =
  'Two-factor authentication is required for your role. Set it up first: in the browser, or with twoFactorStart and twoFactorConfirm.';

export function requireWrite(caller: Caller): void {
  if (!caller.canWrite) throw forbidden();
}

/** Throws unless the caller is an admin: only they can change websites, groups, skills, API keys and accounts. */
export function requireAdmin(caller: Caller): void {
  requireWrite(caller);
  requireAdminRead(caller);
}

/** Throws unless the caller can read what only admins can read. A read-only key can, except for secrets. */
export function requireAdminRead(caller: Caller): void {
  if (caller.accessLevel !== 'admin') throw forbidden();
}

export function isManager({ accessLevel }: Caller): boolean {
  return accessLevel === 'manager' || accessLevel === 'admin';
}

/** Throws unless the caller is a manager or an admin. */
export function requireManager(caller: Caller): void {
  requireWrite(caller);
  if (!isManager(caller)) throw forbidden();
}

/** Returns the operator who calls. Throws for an API key: it cannot answer visitors or be connected. */
export function requireOperatorId({ operatorId }: Caller): number {
  if (operatorId === null)
    throw new DomainError(
      'forbidden',
      'Only operators can do this: use the access token of an operator, not an API key.',
    );
  return operatorId;
}

export function forbidden(): DomainError {
  return new DomainError('forbidden', 'Forbidden');
}
