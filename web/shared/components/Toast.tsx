import { type ReactNode, useEffect, useState } from 'react';
import { Button } from './Button.tsx';

const SHOWN_MS = 6000;

export interface ToastContent {
  readonly text: ReactNode;
  readonly action?: { readonly label: string; readonly onPress: () => void };
}

interface ToastProps {
  /** Another object starts the time again. */
  readonly content: ToastContent | undefined;
  readonly onEnd: () => void;
}

/** The result of an action, at most one. It stays while someone points at it or is in it. */
export function Toast({ content, onEnd }: ToastProps) {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (content === undefined || isHeld) return;
    const timer = setTimeout(onEnd, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [content, isHeld, onEnd]);
  return (
    <div className="toast-region" role="status">
      {content && (
        // biome-ignore lint/a11y/noStaticElementInteractions: only holds the time
        <span
          className="toast"
          onMouseEnter={() => setHeld(true)}
          onMouseLeave={() => setHeld(false)}
          onFocus={() => setHeld(true)}
          onBlur={() => setHeld(false)}
        >
          {content.text}
          {content.action && (
            <Button
              onPress={() => {
                setHeld(false);
                content.action?.onPress();
              }}
            >
              {content.action.label}
            </Button>
          )}
        </span>
      )}
    </div>
  );
}
