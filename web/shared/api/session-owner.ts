/** Whose session it is. Operators of several accounts have the same numbers. */
interface Owned {
  readonly accountId: string;
  readonly operator: { readonly id: string };
}

let owner = '';

/**
 * Whose session this page shows: the account and the operator. What the page sends and keeps has it, so that a session
 * that became another one's ends here instead of being used.
 */
export function getSessionOwner(): string {
  return owner;
}

export function setSessionOwner(session: Owned): void {
  owner = describeOwner(session);
}

export function describeOwner({ accountId, operator }: Owned): string {
  return `${accountId}.${operator.id}`;
}

/** The headers of a request with the session. */
export function createOwnerHeaders(): Readonly<Record<string, string>> {
  return owner === '' ? {} : { 'x-session-owner': owner };
}
