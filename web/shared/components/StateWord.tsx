import type { ReactNode } from 'react';
import type { LampState } from './lamp-state.ts';

interface StateWordProps {
  readonly state: LampState;
  /** The word. It is the name of the state: the lamp is hidden from screen readers. */
  readonly children: ReactNode;
}

/** A lamp and a word, which read without colour as well. */
export function StateWord({ state, children }: StateWordProps) {
  return (
    <span className="state" data-state={state}>
      <svg viewBox="0 0 12 12" aria-hidden="true">
        {LAMPS[state]}
      </svg>
      <span className="truncate">{children}</span>
    </span>
  );
}

const CIRCLE = { cx: 6, cy: 6, r: 4.25, fill: 'none', stroke: 'currentColor', strokeWidth: 1.5 };

const LAMPS: Readonly<Record<LampState, ReactNode>> = {
  available: <circle cx="6" cy="6" r="5" fill="currentColor" />,
  busy: <path fill="currentColor" fillRule="evenodd" d="M6 1a5 5 0 1 1 0 10A5 5 0 0 1 6 1ZM3.2 5.2v1.6h5.6V5.2Z" />,
  pause: (
    <>
      <circle {...CIRCLE} />
      <path fill="currentColor" d="M6 1.5v9a4.5 4.5 0 0 1 0-9Z" />
    </>
  ),
  offline: <circle {...CIRCLE} />,
  reconnecting: <circle {...CIRCLE} strokeDasharray="2 1.6" />,
};
