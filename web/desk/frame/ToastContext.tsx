import { createContext, type ReactNode, use, useCallback, useState } from 'react';
import { Toast, type ToastContent } from '../../shared/components/Toast.tsx';
import { addToast, endToast, type Toasts } from './toasts.ts';

/** Returns a function that ends the toast. */
type ShowToast = (content: ToastContent) => () => void;

const NO_TOASTS: Toasts<ToastContent> = { shown: undefined, next: undefined };

const ToastContext = createContext<ShowToast>(() => () => undefined);

/** The place for results at the foot of the desk, one for all views. */
export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [{ shown }, setToasts] = useState(NO_TOASTS);
  const show = useCallback<ShowToast>((content) => {
    setToasts((toasts) => addToast(toasts, content));
    return () => setToasts((toasts) => endToast(toasts, content));
  }, []);
  const end = useCallback(() => setToasts((toasts) => endToast(toasts, shown)), [shown]);
  return (
    <ToastContext value={show}>
      {children}
      <Toast content={shown} onEnd={end} />
    </ToastContext>
  );
}

/** Shows a result for some seconds. */
export function useToast(): ShowToast {
  return use(ToastContext);
}
