import { useEffect, useRef } from 'react';
import { focusRail } from '../rail/rows.ts';
import type { DeskRoute } from './route.ts';

/** Back to the list from a view that had the focus: it goes to the rail, not when the page is opened. */
export function useRailFocus({ view }: DeskRoute): void {
  const last = useRef(view);
  useEffect(() => {
    if (view === 'list' && last.current !== 'list' && document.activeElement === document.body) focusRail();
    last.current = view;
  }, [view]);
}
