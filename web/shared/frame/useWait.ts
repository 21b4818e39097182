import { useMemo } from 'react';
import type { Failure } from '../api/request.ts';
import type { RingTime } from '../components/OfferRing.tsx';
import { useSecondsLeft } from '../format/useSecondsLeft.ts';

export interface Wait {
  /** 0 as soon as the next attempt is allowed. */
  readonly secondsLeft: number;
  readonly ringTime: RingTime | undefined;
}

/** The wait after too many attempts: for the ring, and in seconds for the button. */
export function useWait(failure: Failure | undefined): Wait {
  const wait = useMemo(() => {
    if (failure?.kind !== 'limited') return undefined;
    const totalMs = failure.seconds * 1000;
    return { deadline: Date.now() + totalMs, ringTime: { totalMs, elapsedMs: 0 } };
  }, [failure]);
  const secondsLeft = useSecondsLeft(wait?.deadline);
  return { secondsLeft, ringTime: secondsLeft > 0 ? wait?.ringTime : undefined };
}
