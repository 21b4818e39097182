import { useSyncExternalStore } from 'react';

function watch(onChange: () => void): () => void {
  document.addEventListener('visibilitychange', onChange);
  return () => document.removeEventListener('visibilitychange', onChange);
}

/** False while another tab is in front, or the window is minimised. */
export function usePageVisible(): boolean {
  return useSyncExternalStore(watch, () => document.visibilityState === 'visible');
}
