import { useMemo, useSyncExternalStore } from 'react';
import { type DeskRoute, formatRoute, parseRoute } from './route.ts';

/** The browser says when the person goes back or forward; `navigate` says the rest. */
const NAVIGATED = 'switchboard:navigated';

/** Shows another part of the desk. `replace` leaves no step to go back to. */
export function navigate(route: DeskRoute, { replace = false }: { readonly replace?: boolean } = {}): void {
  const address = formatRoute(route);
  if (address === location.pathname + location.search) return;
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  dispatchEvent(new Event(NAVIGATED));
}

export function useRoute(): DeskRoute {
  const address = useSyncExternalStore(watchAddress, readAddress);
  return useMemo(() => parseRoute(new URL(address, location.origin)), [address]);
}

function readAddress(): string {
  return location.pathname + location.search;
}

function watchAddress(onChange: () => void): () => void {
  addEventListener('popstate', onChange);
  addEventListener(NAVIGATED, onChange);
  return () => {
    removeEventListener('popstate', onChange);
    removeEventListener(NAVIGATED, onChange);
  };
}
