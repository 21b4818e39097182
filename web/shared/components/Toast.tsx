import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Button } from './Button.tsx';

const SHOWN_MS = 6000;

export interface ToastContent {
  readonly text: ReactNode;
  /** The toast ends with it. */
  readonly action?: { readonly label: string; readonly onPress: () => void };
  /** The view that shows it ends it, and is told when someone points at it or has the focus in it. */
  readonly onHold?: (isHeld: boolean) => void;
}

interface ToastProps {
  /** Another object starts the time again. */
  readonly content: ToastContent | undefined;
  readonly onEnd: () => void;
}

/**
 * The result of an action, at most one. It stays while someone points at it or is in it. F6 leads to it, and back to
 * where the focus was.
 */
export function Toast({ content, onEnd }: ToastProps) {
  const region = useRef<HTMLDivElement>(null);
  useFocusKey(region);
  return (
    <div className="toast-region" role="status" ref={region}>
      {content && <ShownToast content={content} onEnd={onEnd} />}
    </div>
  );
}

function ShownToast({ content, onEnd }: { readonly content: ToastContent; readonly onEnd: () => void }) {
  const { text, action, onHold } = content;
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld || onHold) return;
    const timer = setTimeout(onEnd, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [content, isHeld, onHold, onEnd]);
  useEffect(() => {
    if (!isHeld) return;
    onHold?.(true);
    return () => onHold?.(false);
  }, [isHeld, onHold]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only holds the time
    <span
      className="toast"
      tabIndex={-1}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {text}
      {action && (
        <Button
          onPress={() => {
            onEnd();
            action.onPress();
          }}
        >
          {action.label}
        </Button>
      )}
    </span>
  );
}

/** The toast can go while the focus is in it: then the focus goes back too. */
function useFocusKey(region: RefObject<HTMLElement | null>): void {
  const origin = useRef<Element>(null);
  const goBack = () => {
    if (origin.current instanceof HTMLElement && origin.current.isConnected) origin.current.focus();
    origin.current = null;
  };
  useEffect(() => {
    const handle = (event: KeyboardEvent) => {
      const toast = region.current?.firstElementChild;
      if (event.key !== 'F6' || !(toast instanceof HTMLElement)) return;
      event.preventDefault();
      if (toast.contains(document.activeElement)) return goBack();
      origin.current = document.activeElement;
      (toast.querySelector('button') ?? toast).focus();
    };
    addEventListener('keydown', handle);
    return () => removeEventListener('keydown', handle);
  }, [region]);
  useLayoutEffect(() => {
    if (region.current?.firstElementChild === null && document.activeElement === document.body) goBack();
  });
}
