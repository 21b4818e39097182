import { type Click, isSecondClick } from './second-click.ts';

const TYPES = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick'] as const;

/** Longer than a second click can take. */
const LISTENING_MS = 1000;

/** A click took away what it was on: the second half of a double click must not fall on what stands behind it. */
export function swallowSecondClick(first: Click): void {
  const swallow = (event: MouseEvent) => {
    // A click elsewhere is the beginning of something else.
    if (!isSecondClick(first, readClick(event))) return stop();
    event.preventDefault();
    event.stopPropagation();
  };
  const stop = () => {
    clearTimeout(timer);
    for (const type of TYPES) document.removeEventListener(type, swallow, { capture: true });
  };
  const timer = setTimeout(stop, LISTENING_MS);
  for (const type of TYPES) document.addEventListener(type, swallow, { capture: true });
}

export function readClick({
  clientX,
  clientY,
  timeStamp,
}: Pick<MouseEvent, 'clientX' | 'clientY' | 'timeStamp'>): Click {
  return { x: clientX, y: clientY, at: timeStamp };
}
