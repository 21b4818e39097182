import { useEffect } from 'react';

const INTERVAL_MS = 60_000;

/** Reads again when the page comes to the front, and every minute as long as it is there. */
export function useReloadWhileVisible(reload: () => unknown): void {
  useEffect(() => {
    const reloadIfVisible = () => {
      if (document.visibilityState === 'visible') reload();
    };
    const timer = setInterval(reloadIfVisible, INTERVAL_MS);
    document.addEventListener('visibilitychange', reloadIfVisible);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', reloadIfVisible);
    };
  }, [reload]);
}
