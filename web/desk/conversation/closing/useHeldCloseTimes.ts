import { useEffect, useSyncExternalStore } from 'react';
import type { HeldCloses } from './held-closes.ts';

/** Sends held closings when their time is over, when the page goes, and what is left of them when it comes back. */
export function useHeldCloseTimes(held: HeldCloses, isLive: boolean): void {
  const nextDue = useSyncExternalStore(held.subscribe, () => held.findNextDue());
  useEffect(() => {
    // Those of the page before a reload, and those that found no connection.
    if (isLive) held.sendDue(Date.now());
  }, [held, isLive]);
  useEffect(() => {
    if (nextDue === undefined) return;
    const timer = setTimeout(() => held.sendDue(Date.now()), Math.max(0, nextDue - Date.now()));
    return () => clearTimeout(timer);
  }, [held, nextDue]);
  useEffect(() => {
    const send = () => {
      if (document.visibilityState === 'hidden') held.sendAtPageEnd();
      else held.sendDue(Date.now());
    };
    document.addEventListener('visibilitychange', send);
    const sendAtEnd = () => held.sendAtPageEnd();
    window.addEventListener('pagehide', sendAtEnd);
    return () => {
      document.removeEventListener('visibilitychange', send);
      window.removeEventListener('pagehide', sendAtEnd);
    };
  }, [held]);
}
