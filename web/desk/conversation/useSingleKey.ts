import { useEffect, useRef } from 'react';

/** Calls the function when the key is pressed alone, outside of text fields and dialogs. */
export function useSingleKey(key: string, isEnabled: boolean, run: () => void): void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => {
    if (!isEnabled) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== key || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented)
        return;
      const { target } = event;
      if (
        target instanceof Element &&
        target.closest('input, textarea, select, [contenteditable], dialog, [role="dialog"]')
      )
        return;
      // The letter does not arrive in the field that gets the focus.
      event.preventDefault();
      latest.current();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [key, isEnabled]);
}
