import type { CSSProperties } from 'react';

interface SlotMeterProps {
  /** With those that an offer holds. */
  readonly used: number;
  readonly max: number;
  readonly held?: number;
}

/** The segments are hidden from screen readers: the numbers say the same. */
export function SlotMeter({ used, max, held = 0 }: SlotMeterProps) {
  const style = { '--used': used, '--max': max, '--held': held } as CSSProperties;
  return (
    <span className="slots" data-state={used >= max ? 'busy' : 'available'}>
      <i style={style} aria-hidden="true" />
      {used}/{max}
    </span>
  );
}
