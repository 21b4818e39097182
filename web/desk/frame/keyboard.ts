import { useEffect, useRef } from 'react';
import { nameKey } from './key-name.ts';

/** What a key does, by its name; `Alt+ArrowUp` works in text fields as well. */
export type Shortcuts = Readonly<Record<string, () => void>>;

/** Shortcuts of the whole page. Single keys are for people who want them, outside text fields and dialogs. */
export function useShortcuts(shortcuts: Shortcuts, { hasSingleKeys }: { readonly hasSingleKeys: boolean }): void {
  const current = useRef({ shortcuts, hasSingleKeys });
  current.current = { shortcuts, hasSingleKeys };
  useEffect(() => {
    const handle = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.repeat) return;
      const name = nameKey(event);
      const action = Object.hasOwn(current.current.shortcuts, name) ? current.current.shortcuts[name] : undefined;
      if (action === undefined || isInDialog(event.target)) return;
      const isSingleKey = !name.includes('+');
      if (isSingleKey && (!current.current.hasSingleKeys || isTextField(event.target))) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', handle);
    return () => removeEventListener('keydown', handle);
  }, []);
}

function isTextField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input:not([type="checkbox"], [type="radio"]), textarea, select'))
  );
}

function isInDialog(target: EventTarget | null): boolean {
  return (
    document.querySelector('dialog[open]') !== null ||
    (target instanceof HTMLElement && target.closest('[role="menu"]') !== null)
  );
}
