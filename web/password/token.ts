/**
 * The token of the link, from the fragment of the address, which no server sees. It is removed from the address at once,
 * and kept in this entry of the history: a reload still has it, a screenshot or a copied address does not.
 */
export function takeToken(location: Location, history: History): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token === null) return (history.state as { readonly token?: string } | null)?.token ?? null;
  history.replaceState({ token }, '', location.pathname);
  return token;
}

export function forgetToken(history: History): void {
  history.replaceState(null, '');
}
