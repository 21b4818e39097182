import { createContext, type ReactNode, use, useCallback, useState } from 'react';
import { Toast, type ToastContent } from '../../shared/components/Toast.tsx';

const ToastContext = createContext<(content: ToastContent) => void>(() => undefined);

/** The place for results at the foot of the desk, one for all views. */
export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [content, setContent] = useState<ToastContent>();
  const end = useCallback(() => setContent(undefined), []);
  return (
    <ToastContext value={setContent}>
      {children}
      <Toast content={content} onEnd={end} />
    </ToastContext>
  );
}

/** Shows a result for some seconds, in place of the one before. */
export function useToast(): (content: ToastContent) => void {
  return use(ToastContext);
}
