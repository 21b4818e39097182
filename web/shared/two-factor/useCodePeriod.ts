import { useState } from 'react';
import type { RingTime } from '../components/OfferRing.tsx';
import { useSecondsLeft } from '../format/useSecondsLeft.ts';

/** An authenticator app shows another code at the beginning of every period, by the clock of the device. */
const PERIOD_MS = 30_000;

/** What is left of the period of a code: in seconds, and as a ring that starts again and again. */
export function useCodePeriod(): { readonly secondsLeft: number; readonly ringTime: RingTime } {
  const [openedAt] = useState(Date.now);
  const [ringTime] = useState({ totalMs: PERIOD_MS, elapsedMs: openedAt % PERIOD_MS, repeats: true });
  const secondsLeft = useSecondsLeft((Math.floor(Date.now() / PERIOD_MS) + 1) * PERIOD_MS);
  return { secondsLeft, ringTime };
}
