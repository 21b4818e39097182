import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/**
 * On a phone the panel covers what the keyboard leaves of the screen, so that the field is never hidden, and the page
 * behind it does not scroll.
 */
export function useFullScreen(panel: RefObject<HTMLElement | null>, isOpen: boolean): boolean {
  const [isFullScreen, setFullScreen] = useState(false);
  // Before the next frame: the page behind never jumps.
  useLayoutEffect(() => {
    const narrow = matchMedia('(width < 480px)');
    const viewport = window.visualViewport;
    const { style } = document.documentElement;
    const overflow = [style.getPropertyValue('overflow'), style.getPropertyPriority('overflow')] as const;
    const fit = () => {
      const isCovering = isOpen && narrow.matches;
      setFullScreen(isCovering);
      style.setProperty('overflow', ...(isCovering ? (['hidden', 'important'] as const) : overflow));
      panel.current?.style.setProperty('--screen', isCovering && viewport ? `${viewport.height}px` : '100dvh');
      panel.current?.style.setProperty('--screen-start', isCovering && viewport ? `${viewport.offsetTop}px` : '0px');
    };
    fit();
    narrow.addEventListener('change', fit);
    viewport?.addEventListener('resize', fit);
    viewport?.addEventListener('scroll', fit);
    return () => {
      narrow.removeEventListener('change', fit);
      viewport?.removeEventListener('resize', fit);
      viewport?.removeEventListener('scroll', fit);
      style.setProperty('overflow', ...overflow);
    };
  }, [isOpen]);
  return isFullScreen;
}
