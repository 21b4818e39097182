import { useCallback, useEffect, useRef, useState } from 'react';
import { watchStored } from '../../../shared/watch-stored.ts';
import { nameDraft, readDraft, writeDraft } from '../../state/drafts.ts';

const WRITE_AFTER_MS = 300;

/**
 * A text that survives a reload. It is written down while a person pauses, and when the page or the view goes. The tabs
 * of a browser have the same text: the one in which the person types gives it to the others.
 */
export function useDraft(key: string): readonly [text: string, setText: (text: string) => void] {
  const [text, setState] = useState(() => readDraft(key));
  const unwritten = useRef<string>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const write = useCallback(() => {
    clearTimeout(timer.current);
    if (unwritten.current !== undefined) writeDraft(key, unwritten.current);
    unwritten.current = undefined;
  }, [key]);
  const setText = useCallback(
    (next: string) => {
      setState(next);
      unwritten.current = next;
      clearTimeout(timer.current);
      // What was sent is no draft any more, whatever happens next.
      if (next === '') write();
      else timer.current = setTimeout(write, WRITE_AFTER_MS);
    },
    [write],
  );
  useEffect(() => {
    window.addEventListener('pagehide', write);
    document.addEventListener('visibilitychange', write);
    return () => {
      window.removeEventListener('pagehide', write);
      document.removeEventListener('visibilitychange', write);
      write();
    };
  }, [write]);
  useEffect(
    () =>
      watchStored(nameDraft(key), (typedElsewhere) => {
        if (unwritten.current === undefined) setState(typedElsewhere ?? '');
      }),
    [key],
  );
  return [text, setText];
}
