import { type RefObject, useEffect } from 'react';

/** Calls `recover` when what had the focus in a region has gone, so that the focus is nowhere. */
export function useLostFocus(region: RefObject<HTMLElement | null>, recover: () => void): void {
  useEffect(() => {
    const element = region.current;
    if (element === null) return;
    let focused: Element | undefined;
    const end = new AbortController();
    const note = ({ target }: Event) => {
      focused = target instanceof Element && element.contains(target) ? target : undefined;
    };
    // Someone who clicks beside everything leaves the region.
    const forget = () => {
      focused = undefined;
    };
    document.addEventListener('focusin', note, { signal: end.signal });
    document.addEventListener('pointerdown', forget, { signal: end.signal });
    const observer = new MutationObserver(() => {
      if (focused === undefined || focused.isConnected || document.activeElement !== document.body) return;
      focused = undefined;
      recover();
    });
    observer.observe(element, { childList: true, subtree: true });
    return () => {
      end.abort();
      observer.disconnect();
    };
  }, [region, recover]);
}
