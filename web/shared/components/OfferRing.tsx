import type { CSSProperties, ReactNode } from 'react';

/** Time that runs out: once, or again and again. */
export interface RingTime {
  readonly totalMs: number;
  /** At the moment when the ring is shown. */
  readonly elapsedMs: number;
  readonly repeats?: boolean;
}

interface OfferRingProps {
  /** Without it the ring is empty. Another object starts the ring again. */
  readonly time?: RingTime | undefined;
  /** Amber: someone has to wait, or to act soon. */
  readonly isEnding?: boolean;
  /** Initials, or an icon. */
  readonly children?: ReactNode;
}

/** Six segments that empty clockwise from twelve. Always with the time as text beside it, so it is hidden from readers. */
export function OfferRing({ time, isEnding = false, children }: OfferRingProps) {
  const style = time && {
    '--offer-time': `${time.totalMs}ms`,
    '--offer-delay': `${-time.elapsedMs}ms`,
    '--offer-count': time.repeats ? 'infinite' : '1',
  };
  return (
    <span
      className="offer-ring"
      aria-hidden="true"
      data-running={time && ''}
      data-ending={isEnding ? '' : undefined}
      style={style as CSSProperties | undefined}
      key={time && `${time.totalMs} ${time.elapsedMs}`}
    >
      {children}
    </span>
  );
}
