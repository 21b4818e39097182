import { type ReactNode, type SyntheticEvent, useId, useLayoutEffect, useRef } from 'react';
import { readClick, swallowSecondClick } from './double-click.ts';
import type { Click } from './second-click.ts';

interface DialogProps {
  /** Names the object. */
  readonly title: string;
  /** Escape was pressed. */
  readonly onCancel: () => void;
  /** Says what will happen; the last part is a `dialog-actions`, whose cancel button has `autoFocus`. */
  readonly children: ReactNode;
}

/**
 * To confirm, while it is rendered. The browser's own dialog keeps the focus inside, hides the page from screen readers
 * and gives the focus back when it is closed.
 */
export function Dialog({ title, onCancel, children }: DialogProps) {
  const id = useId();
  const element = useRef<HTMLDialogElement>(null);
  const lastClick = useRef<Click>(undefined);
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    dialog?.querySelector<HTMLElement>('[data-first-focus], input:not([hidden])')?.focus();
    return () => {
      dialog?.close();
      if (lastClick.current) swallowSecondClick(lastClick.current);
    };
  }, []);
  const cancel = (event: SyntheticEvent) => {
    // The view decides whether it stays open.
    event.preventDefault();
    onCancel();
  };
  return (
    <dialog
      className="dialog"
      ref={element}
      aria-labelledby={id}
      onCancel={cancel}
      onClickCapture={({ nativeEvent }) => {
        lastClick.current = readClick(nativeEvent);
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
