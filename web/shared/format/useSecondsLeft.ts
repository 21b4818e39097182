import { useEffect, useState } from 'react';
import { countSecondsLeft } from './countdown.ts';

/** The whole seconds until a deadline of `Date.now()`, again every second; 0 without a deadline and after it. */
export function useSecondsLeft(deadline: number | undefined): number {
  const [now, setNow] = useState(Date.now);
  const left = deadline === undefined ? 0 : countSecondsLeft(deadline, now);
  useEffect(() => {
    setNow(Date.now());
    if (deadline === undefined) return;
    // Reads the clock every time: a tab in the background is called less often.
    const timer = setInterval(() => {
      setNow(Date.now());
      if (Date.now() >= deadline) clearInterval(timer);
    }, 250);
    return () => clearInterval(timer);
  }, [deadline]);
  return left;
}
