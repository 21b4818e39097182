/**
 * The token of the link, from the fragment of the address, which no server sees. It is removed from the address at once,
 * and kept in this entry of the history: a reload still has it, a screenshot or a copied address does not.
 */
export function takeToken(location: Location, history: History): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token === null) return readState(history).token ?? null;
  history.replaceState({ token }, '', location.pathname);
  return token;
}

/** The token was used, or the service refused it. A reload says so again. */
export function forgetToken(history: History): void {
  history.replaceState({ isSpent: true }, '');
}

/** Whether this entry of the history had a token. */
export function hadToken(history: History): boolean {
  return readState(history).isSpent === true;
}

function readState(history: History): { readonly token?: string; readonly isSpent?: boolean } {
  return (history.state as { readonly token?: string; readonly isSpent?: boolean } | null) ?? {};
}
