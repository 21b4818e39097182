import { type RefObject, useEffect, useRef } from 'react';

/**
 * An offer that comes or goes above the lists does not move the row under the pointer: the rail scrolls by as much, and
 * has room for that until the pointer leaves.
 */
export function useStillRows(): {
  readonly rail: RefObject<HTMLElement | null>;
  readonly offers: RefObject<HTMLDivElement | null>;
} {
  const rail = useRef<HTMLElement>(null);
  const offers = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const [list, above] = [rail.current, offers.current];
    if (list === null || above === null) return;
    let height = above.offsetHeight;
    const observer = new ResizeObserver(() => {
      const growth = above.offsetHeight - height;
      height += growth;
      if (growth === 0 || !list.matches(':hover') || above.matches(':hover')) return;
      const scrollTop = list.scrollTop + growth;
      list.style.setProperty('--rail-room', `${Math.max(0, scrollTop + list.clientHeight - list.scrollHeight)}px`);
      list.scrollTop = scrollTop;
    });
    const release = () => list.style.removeProperty('--rail-room');
    observer.observe(above);
    list.addEventListener('pointerleave', release);
    return () => {
      observer.disconnect();
      list.removeEventListener('pointerleave', release);
    };
  }, []);
  return { rail, offers };
}
