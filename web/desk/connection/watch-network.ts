import type { OpenDesk } from './open-desk.ts';

/** Reconnects at once when the browser says that it can be worthwhile. Returns a function that ends it. */
export function watchNetwork(desk: OpenDesk): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  // Offline, the socket would seem to work until its next ping fails.
  for (const type of ['online', 'offline']) addEventListener(type, () => desk.reconnect(), { signal });
  const ensure = () => {
    if (document.visibilityState === 'visible') desk.ensureConnection();
  };
  document.addEventListener('visibilitychange', ensure, { signal });
  // A page that comes back from the cache of the browser has lost its connection without an event.
  addEventListener('pageshow', ({ persisted }) => persisted && desk.reconnect(), { signal });
  return () => ending.abort();
}
