/** What a single sign-on link brings in the fragment of the address, which no server sees. */
export interface SignOnLink {
  readonly code: string;
  readonly to: string | null;
}

/** Reads the link and removes it from the address at once: a one-time code belongs neither on the screen nor in the history. */
export function takeSignOnLink(location: Location, history: History): SignOnLink | undefined {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const code = parameters.get('code');
  if (code === null) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  return { code, to: parameters.get('to') };
}
