export type LampState = 'available' | 'busy' | 'pause' | 'offline' | 'reconnecting';

/** A shape for each state, so that it reads without colours too; the word beside it says it. */
export function Lamp({ state, children }: { readonly state: LampState; readonly children: string }) {
  const colour = state === 'reconnecting' ? 'busy' : state;
  return (
    <span className="state" data-state={colour}>
      <svg viewBox="0 0 12 12" aria-hidden="true">
        <LampShape state={state} />
      </svg>
      {children}
    </span>
  );
}

function LampShape({ state }: { readonly state: LampState }) {
  const ring = { cx: 6, cy: 6, r: 4.25, fill: 'none', stroke: 'currentColor', strokeWidth: 1.5 };
  if (state === 'available') return <circle cx="6" cy="6" r="5" fill="currentColor" />;
  if (state === 'busy') {
    return <path fill="currentColor" fillRule="evenodd" d="M6 1a5 5 0 1 1 0 10A5 5 0 0 1 6 1ZM3.2 5.2v1.6h5.6V5.2Z" />;
  }
  if (state === 'reconnecting') return <circle {...ring} strokeDasharray="2 1.5" />;
  return (
    <>
      <circle {...ring} />
      {state === 'pause' && <path fill="currentColor" d="M6 1.5v9a4.5 4.5 0 0 1 0-9Z" />}
    </>
  );
}
